import { UnusableFile } from '../../../domain/feeds/badRow.ts'

/**
 * How the bytes of a file begin that is no UTF-8 text (in hexadecimal), what it
 * is, and what to do with it.
 */
const CONTAINERS: [start: RegExp, what: string, cure: string][] = [
  [
    /^(?:fffe0000|0000feff)/,
    'in UTF-32',
    'iconv -f UTF-32 -t UTF-8 FILE > lots.csv',
  ],
  [/^(?:fffe|feff)/, 'in UTF-16', 'iconv -f UTF-16 -t UTF-8 FILE > lots.csv'],
  [
    /^(?!00)..00(?!00)..00/,
    'in UTF-16',
    'iconv -f UTF-16LE -t UTF-8 FILE > lots.csv',
  ],
  [
    /^00(?!00)..00(?!00)/,
    'in UTF-16',
    'iconv -f UTF-16BE -t UTF-8 FILE > lots.csv',
  ],
  [/^1f(?:8b|9d)/, 'compressed with gzip', 'gunzip -c < FILE > lots.csv'],
  [/^425a68/, 'compressed with bzip2', 'bunzip2 -c FILE > lots.csv'],
  [/^fd377a585a/, 'compressed with xz', 'xz -dc FILE > lots.csv'],
  [/^28b52ffd/, 'compressed with Zstandard', 'zstd -dc FILE > lots.csv'],
  [
    /^504b0[357]/,
    'a ZIP archive or a workbook (XLSX, ODS)',
    'unzip -p FILE > lots.csv for an archive, soffice --headless --convert-to csv FILE for a workbook',
  ],
  [
    /^d0cf11e0/,
    'an old Excel workbook (XLS)',
    'soffice --headless --convert-to csv FILE',
  ],
  [/^377abcaf/, 'a 7z archive', '7z x -so FILE > lots.csv'],
  [/^52617221/, 'a RAR archive', 'unrar p -inul FILE > lots.csv'],
  [/^(?:..){257}7573746172/, 'a tar archive', 'tar -xOf FILE > lots.csv'],
  [/^50415231/, 'in Parquet', `duckdb -c "copy (from 'FILE') to 'lots.csv'"`],
  [
    /^53514c69746520/,
    'an SQLite database',
    'sqlite3 -csv -header FILE "select * from lots" > lots.csv',
  ],
  [
    /^25504446/,
    'a PDF',
    'pdftotext -layout FILE lots.txt, then copy its table into a spreadsheet',
  ],
  [
    /^(?:09|0a|0d|20)*3c/,
    'HTML or XML',
    'soffice --headless --convert-to csv FILE for a table in HTML',
  ],
  [/^7b5c727466/, 'in RTF', 'soffice --headless --convert-to txt FILE'],
]
/**
 * A text of the formats that a load reads begins with a printed character or a
 * blank, after a byte order mark.
 */
const TEXT = /^(?:efbbbf)?(?:09|0a|0d|[2-6].|7[^f]|$)/

/**
 * @throws UnusableFile for the first bytes of a file of another kind, with the
 * command that gives one of ours.
 */
export function refuseContainers(chunk: Buffer): void {
  const start = chunk.toString('hex', 0, 512)
  for (const [pattern, what, cure] of CONTAINERS)
    if (pattern.test(start))
      throw new UnusableFile(`The file is ${what}. Convert it: ${cure}`)
  if (!TEXT.test(start))
    throw new UnusableFile(
      'The file is no text. Save it as "CSV UTF-8 (Comma delimited)".',
    )
}

const SEPARATORS: Record<string, string> = {
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
}
const REWRITE =
  'python3 -c "import csv, sys; csv.writer(sys.stdout).writerows(csv.reader(sys.stdin, delimiter=sys.argv[1]))"'

/**
 * @throws UnusableFile for the first line of a CSV that has no commas, with the
 * command that gives one that has.
 */
export function refuseSeparators(line: string): void {
  if (/^"?sep=/i.test(line))
    throw new UnusableFile(
      `The file begins with "sep=". Take that line off: tail -n +2 FILE > lots.csv`,
    )
  if (line.includes('\r'))
    throw new UnusableFile(
      `The lines of the file end with carriage returns. Convert it: tr '\\r' '\\n' < FILE > lots.csv`,
    )
  const [, separator = ''] = /^(?:"[^"]*"|[^",;\t|]*)([;\t|])/.exec(line) ?? []
  if (separator === '') return
  const argument = separator === '\t' ? "$'\\t'" : `'${separator}'`
  throw new UnusableFile(
    `The cells of the file are separated by ${SEPARATORS[separator]}. Convert it: ${REWRITE} ${argument} < FILE > lots.csv`,
  )
}

/**
 * @throws UnusableFile for the first line of a JSON document that is no NDJSON,
 * with the command that gives NDJSON.
 */
export function refuseDocuments(line: string): void {
  const [, list] = /^\s*(?:\[|\{.*?"(\w+)"\s*:\s*\[\s*\{)/.exec(line) ?? []
  const isObject = /^\s*\{\s*$/.test(line)
  if (isObject)
    throw new UnusableFile(
      "The file has objects over several lines. Convert it: jq -c . FILE > lots.ndjson, or jq -c '.lots[]' FILE > lots.ndjson where they stand in a list named lots",
    )
  if (list !== undefined || /^\s*\[\s*(?:[{[]|$)/.test(line))
    throw new UnusableFile(
      `The file is one JSON document. Convert it: jq -c '.${list ?? ''}[]' FILE > lots.ndjson`,
    )
}
