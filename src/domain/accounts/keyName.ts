const LONGEST_NAME = 60

/**
 * The name of a key: one line of 1 to 60 visible characters. Control and direction characters are refused: they could make one
 * name look like another.
 * @returns null when the text is no such name.
 */
export function keyName(text: string): string | null {
  const name = text.trim().normalize('NFC')
  const length = [...name].length
  return length >= 1 && length <= LONGEST_NAME && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? name : null
}
