import { HOSTILE_TEXTS } from './hostileTexts.ts'

const repeated = (text: string, times: number) => text.repeat(times)

/** What is sent exactly as it stands here, percent-encoding and all. */
const ENCODED = [
  ...[
    '',
    '%',
    '%2',
    '%zz',
    '%u0041',
    '%00',
    'a%00b',
    '%00%00',
    '+',
    '++',
    '%20',
    '%09',
    '%0a',
    '%7f',
    '%1b[31m',
  ],
  // Not UTF-8: lone bytes, overlong forms, surrogates, beyond the last character, cut short.
  ...['%ff', '%fe%ff', '%80', '%c0%af', '%c1%bf', '%e0%80%af', '%f0%80%80%af', '%c0%80', '%f8%88%80%80%80'],
  ...['%ed%a0%80', '%ed%b0%80', '%ed%a0%bd%ed%b8%80', '%f4%90%80%80', '%c3', '%e2%82', '%f0%9f%98', 'a%c3'],
  // A header of one's own, should the value reach one.
  ...[
    '%0d%0aX-Injected:%201',
    'a%0d%0a%0d%0a<html>',
    '%0aSet-Cookie:%20a=b',
    '%e5%98%8a%e5%98%8dX-Injected:1',
  ],
  // Encoded twice, and what servers take for separators.
  ...[
    '%2500',
    '%252e%252e%252f',
    '%253cscript%253e',
    'a%26page%3d0',
    'a%23b',
    'a%3bb',
    'a;b',
    'a=b',
    'a==',
    '=a',
  ],
]

const NUMBERS = [
  ...[
    '1e309',
    '-1e309',
    '1e1',
    '1E2',
    '1e-400',
    '0x10',
    '0X1F',
    '0b1',
    '0o7',
    '010',
    '00',
    '007',
    '-0',
    '+1',
    '--1',
  ],
  ...[
    ' 1',
    '1 ',
    '\t1',
    '1\n',
    '1.0',
    '1.',
    '.5',
    '1.5.5',
    '1,000',
    '1_000',
    '1 000',
    '$5',
    '5%',
    '１',
    '٣',
    '½',
    '²',
  ],
  ...[
    'Infinity',
    '-Infinity',
    'infinity',
    'NaN',
    'nan',
    '1n',
    '1f',
    '1/2',
    '-1',
    '0',
    '99999999999999999999',
  ],
  ...[
    '2147483648',
    '4294967296',
    '9007199254740993',
    '9223372036854775808',
    `1${repeated('0', 400)}`,
    `0.${repeated('1', 300)}`,
  ],
]

const WORDS = [
  ...[
    'true1',
    'TRUE',
    'True',
    't',
    'yes',
    'on',
    'null',
    'NULL',
    'undefined',
    'None',
    'nil',
    '[object Object]',
    '[]',
  ],
  ...[
    '{}',
    '{"$gt":""}',
    '[1,2]',
    '["a"]',
    '"true"',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
  ],
]

const LONG = [
  ...['a', '😀', 'ﷺ', '"', '(', '-', "'", '\\', 'a1', '1a', 'a ', '" '].flatMap(text => [
    repeated(text, 200 / [...text].length),
    repeated(text, 200 / [...text].length + 1),
  ]),
  ...[
    repeated('a', 10_000),
    repeated('9', 10_000),
    repeated('or ', 66),
    repeated('-a ', 66),
    repeated('a-b', 66),
  ],
]

/** Several hundred values that break parsers, as they are put behind `=` or into a path. */
export const HOSTILE_VALUES: string[] = [
  ...ENCODED,
  ...[NUMBERS, WORDS, HOSTILE_TEXTS, LONG].flat().map(encodeURIComponent),
]

/** Names of parameters that no operation knows, and ways to write a known one. Each is put before `=`. */
export const HOSTILE_NAMES: string[] = [
  ...[
    '__proto__',
    '__proto__[a]',
    '__proto__.a',
    'constructor',
    'constructor[prototype][a]',
    'prototype',
    'toString',
  ],
  ...[
    'hasOwnProperty',
    '__defineGetter__',
    'length',
    '0',
    '',
    '[]',
    '[a]',
    '%5B%5D',
    '%00',
    '%ff',
    '%zz',
    '%20',
    '%0d%0aX-Injected',
  ],
  ...[
    "'",
    '"',
    ';',
    '$where',
    'a'.repeat(3_000),
    encodeURIComponent('😀'.repeat(50)),
    '<script>',
    '{}',
    '../x',
    'key',
    'api_key',
  ],
]

/** Ways to write a parameter that the operation knows, which it must not take for it. */
export const misspellingsOf = (name: string): string[] => [
  ...[
    `${name}[]=1`,
    `${name}[0]=1`,
    `${name}[a]=1`,
    `${name}%5B%5D=1`,
    `${name}.a=1`,
    `${name}%00=1`,
    `${name}+=1`,
    `%20${name}=1`,
  ],
  ...[
    `${name.toUpperCase()}=1`,
    `${name}%ff=1`,
    `${name}`,
    `${name}=1&${name}=2`,
    `${name}=1&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=2`,
  ],
]
