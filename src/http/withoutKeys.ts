/** A text with everything that looks like an API key struck out, wherever a client may have put one. */
export function withoutKeys(text: string): string {
  return text.replace(/bp_live_\w*/gi, 'bp_live_…')
}
