/** Accents that follow their letter. */
const ACCENTS = /[\u0300-\u036f]+/g
/**
 * Greek and Cyrillic capitals, and letters that have no decomposition, each
 * with the letter it is taken for.
 */
const OTHER_LETTERS =
  'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐØøŁłĐđÐðĦħŦŧıÞŊ'
const THEIR_FORMS =
  'αβγδεζηθικλμνξοπρστυφχψωσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґoollddddhhttiþŋ'
const FORMS = new Map(
  [...OTHER_LETTERS].map((letter, n) => [letter, THEIR_FORMS[n]!]),
)
for (const [letters, form] of [
  ['ßẞ', 'ss'],
  ['æÆ', 'ae'],
  ['œŒ', 'oe'],
] as const)
  for (const letter of letters) FORMS.set(letter, form)
const WITH_FORMS = new RegExp(`[${[...FORMS.keys()].join('')}]`, 'g')

/**
 * What stands between words, as the inside of a class of a regular expression:
 * all that is no letter, digit or blank.
 */
const SEPARATORS =
  '\\u0000-\\u001f\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u1680' +
  '\\u2000-\\u2070\\u2072-\\u207e\\u2080-\\u208f\\u209d-\\u2101\\u2103-\\u2106\\u2108\\u2109\\u2114\\u2116-\\u2118\\u211e-\\u2123' +
  '\\u2125\\u2127\\u2129\\u212e\\u213a\\u213b\\u2140-\\u2144\\u214a-\\u214d\\u214f-\\u215f\\u2189-\\u24b5\\u24ea-\\u2bff\\u2e00-\\u2e7f' +
  '\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u303d-\\u303f\\ue000-\\uf8ff\\ufe00-\\ufe1f\\ufe30-\\ufe6f\\ufeff\\uff00-\\uff0f' +
  '\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\uffe0-\\uffef\\ufff9-\\uffff' +
  '\\u{1f000}-\\u{1faff}'

const BETWEEN_WORDS = new RegExp(`[ ${SEPARATORS}]+`, 'gu')
const LETTER_THEN_DIGIT = new RegExp(
  `([^0-9 ${SEPARATORS}])(?=[0-9])|([0-9])(?=[^0-9 ${SEPARATORS}])`,
  'gu',
)

/**
 * A text in small letters without their accents, as the SQL function `folded`
 * writes the words of lots (migrations/0033_letters.sql): the database may have
 * a locale that knows no letters but those of ASCII.
 */
export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(/[A-Z]+/g, capitals => capitals.toLowerCase())
    .replace(WITH_FORMS, letter => FORMS.get(letter)!)
}

/**
 * The words of a text with letters and digits separated, as the SQL function
 * `searchable` separates those of lots.
 */
export function searchable(text: string): string {
  return folded(text)
    .replace(BETWEEN_WORDS, ' ')
    .replace(LETTER_THEN_DIGIT, '$1$2 ')
    .trim()
}

/** All letters and digits of a text, as one word. */
export function oneWord(text: string): string {
  return folded(text).replace(BETWEEN_WORDS, '')
}
