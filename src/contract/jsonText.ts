/** What an answer was read from, and how long it holds. */
export interface Holding {
  /** The version of the data. */
  version: number
  /** The clock of the database when it was read, in milliseconds since 1970. */
  now_ms: number
  /** From this moment on (milliseconds since 1970) it may be wrong: a lot begins or ends. */
  until_ms: number
}

interface JsonTextFacts {
  /** Where a page stands among all; absent for a body that is no page. */
  place?: { page: number; total_pages: number }
  holding: Holding
}

/** A body that PostgreSQL wrote as JSON: it is sent as it is, and parsed only where somebody looks into it. */
export class JsonText<Body> {
  readonly text: string
  readonly place: JsonTextFacts['place'] | null
  readonly holding: Holding

  constructor(text: string, { place, holding }: JsonTextFacts) {
    this.text = text
    this.place = place ?? null
    this.holding = holding
  }

  value(): Body {
    return JSON.parse(this.text) as Body
  }
}
