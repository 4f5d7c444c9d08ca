import { escapeMarkup } from '../../domain/markup.ts'

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/
const NUMBER = /\b\d[\d_.]*\b/

/** The comment and the keywords of each language, by the name after the fence of its code. */
const LANGUAGES: Record<string, { comment: RegExp; words: string }> = {
  sh: { comment: /(?<=^|\s)#.*/, words: 'curl|while|do|done|export|claude|code|npx' },
  ts: {
    comment: /\/\/.*/,
    words:
      'async|await|const|else|export|for|from|function|if|import|let|new|null|of|return|throw|true|false|while',
  },
  python: {
    comment: /(?<=^|\s)#.*/,
    words: 'as|class|def|else|False|for|from|if|import|in|None|not|or|raise|return|self|True|while|with',
  },
  json: { comment: /(?!)/, words: 'true|false|null' },
}

/** Code as markup, with its comments, strings, keywords and numbers in spans of the classes c, s, k and n. */
export function highlight(code: string, language: string): string {
  const rules = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
  if (!rules) return escapeMarkup(code)
  const parts = `(?<s>${STRING.source})|(?<c>${rules.comment.source})|(?<k>\\b(?:${rules.words})\\b)|(?<n>${language === 'sh' ? '(?!)' : NUMBER.source})`
  let markup = ''
  let end = 0
  for (const found of code.matchAll(new RegExp(parts, 'gm'))) {
    const [kind] = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined) ?? ['']
    markup += `${escapeMarkup(code.slice(end, found.index))}<span class="${kind}">${escapeMarkup(found[0])}</span>`
    end = found.index + found[0].length
  }
  return markup + escapeMarkup(code.slice(end))
}
