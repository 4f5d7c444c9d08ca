const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * A text for HTML or XML, in an element or a quoted attribute. Control characters are removed: XML 1.0 cannot hold them, and feed
 * readers reject the whole feed for one.
 */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '')
    .replace(/[&<>"']/g, character => ENTITIES[character] ?? character)
}
