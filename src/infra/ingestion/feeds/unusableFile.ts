/** A file that as a whole tells nothing that can be trusted: it is refused, and changes nothing. */
export class UnusableFile extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'UnusableFile'
  }
}
