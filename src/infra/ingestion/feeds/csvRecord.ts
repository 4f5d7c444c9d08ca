/**
 * One record of a CSV file (RFC 4180), read line by line, since a quoted cell may run over several. A quote inside an
 * unquoted cell (5" pipe) is an ordinary character.
 */
export class CsvRecord {
  readonly cells: string[] = []
  /** The lines so far of the quoted cell that is still open. */
  #open: string[] | null = null

  /** Whether the record ends with this line, goes on in the next, or has a stray quote and cannot be understood. */
  read(line: string): 'complete' | 'open' | 'stray' {
    let at = 0
    for (;;) {
      const isQuoted = this.#open !== null || line[at] === '"'
      at = isQuoted ? this.#readQuoted(line, at) : this.#readBare(line, at)
      if (at === -1) return 'open'
      if (at >= line.length) return 'complete'
      if (line[at] !== ',') return 'stray'
      at += 1
    }
  }

  /** Returns where the cell ends, or -1 when the line ends before it. */
  #readQuoted(line: string, at: number): number {
    const start = this.#open ? at : at + 1
    const end = closingQuote(line, start)
    this.#open ??= []
    this.#open.push(line.slice(start, end === -1 ? line.length : end))
    if (end === -1) return -1
    this.cells.push(this.#open.join('\n').replaceAll('""', '"'))
    this.#open = null
    return end + 1
  }

  #readBare(line: string, at: number): number {
    const comma = line.indexOf(',', at)
    const end = comma === -1 ? line.length : comma
    this.cells.push(line.slice(at, end))
    return end
  }
}

/** Where the next quote stands that is not doubled, or -1. */
function closingQuote(line: string, from: number): number {
  let quote = line.indexOf('"', from)
  while (quote !== -1 && line[quote + 1] === '"') quote = line.indexOf('"', quote + 2)
  return quote
}
