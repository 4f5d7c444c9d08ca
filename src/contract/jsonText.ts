/** A body that PostgreSQL wrote as JSON: it is sent as it is, and parsed only where somebody looks into it. */
export class JsonText<Body> {
  readonly text: string
  /** Where a page stands among all; null for a body that is no page. */
  readonly place: { page: number; total_pages: number } | null

  constructor(text: string, place: JsonText<Body>['place'] = null) {
    this.text = text
    this.place = place
  }

  value(): Body {
    return JSON.parse(this.text) as Body
  }
}
