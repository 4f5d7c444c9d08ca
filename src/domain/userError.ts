/** An error that the operator can fix: the command line shows it as one sentence, without a stack. */
export class UserError extends Error {
  /** 2 for a bad argument or setting, 1 for anything else. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'UserError'
    this.exitCode = exitCode
  }
}
