import { escapeMarkup, oneLine } from '../contract/text.ts'
import { formatDate, formatMoment, formatNumber } from '../domain/format.ts'

/** The words of a mail, for any recipient. */
export interface MailText {
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

export interface QuotaUse {
  percent: 80 | 100
  used: number
  most: number
  /** 2026-11 */
  month: string
}

/** The mail about the calls of an account in a month. */
export function quotaMail(
  { percent, used, most, month }: QuotaUse,
  publicUrl: string,
): MailText {
  const isFull = percent === 100
  return mailText(
    isFull
      ? 'All calls of this month are used'
      : '80% of this month’s calls are used',
    publicUrl,
    [
      `Your account has used ${formatNumber(used)} of its ${formatNumber(most)} API calls in ${formatDate(month, { month: 'long', year: 'numeric' })} (UTC).`,
      isFull
        ? 'Calls are refused with 429 until the next month begins, or until your plan has more calls.'
        : 'When all are used, calls are refused with 429 until the next month begins.',
      [
        `See your use: ${publicUrl}/account`,
        `Plans: ${publicUrl}/pricing`,
      ].join('\n'),
    ],
  )
}

export interface EndpointTrouble {
  endpoint_id: number
  url: string
  /** RFC 3339. */
  failing_since: string
  /** Null: it is still tried. */
  disabled_reason: string | null
}

/** The mail about a webhook endpoint that fails, or was disabled. */
export function endpointMail(
  trouble: EndpointTrouble,
  publicUrl: string,
): MailText {
  const { endpoint_id, url, failing_since, disabled_reason } = trouble
  const since = `Every message to it has failed since ${formatMoment(failing_since, 'UTC')}.`
  return mailText(
    disabled_reason
      ? 'A webhook endpoint was disabled'
      : 'A webhook endpoint is failing',
    publicUrl,
    [
      `The endpoint: ${oneLine(url)}`,
      disabled_reason
        ? `It receives no more messages. ${oneLine(disabled_reason)}`
        : `${since} Messages are tried again for 75 hours. After 5 days of failures the endpoint is disabled.`,
      `${disabled_reason ? 'Enable it again' : 'See its log'}: ${publicUrl}/account/alerts/endpoints/${endpoint_id}`,
    ],
  )
}

/**
 * Both forms of a mail. The HTML is the text with links, so it says the same.
 */
function mailText(
  subject: string,
  publicUrl: string,
  paragraphs: string[],
): MailText {
  const html = paragraphs.map(
    paragraph =>
      `<p>${paragraph
        .split('\n')
        .map(line => lineAsHtml(line, publicUrl))
        .join('<br>\n')}</p>`,
  )
  return {
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: mailDocument(subject, html),
    headers: {},
  }
}

/**
 * The HTML form of a mail, as wide as a phone at most, in the colors of the
 * reader's program: light or dark.
 * @param parts its markup.
 */
export function mailDocument(subject: string, parts: string[]) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeMarkup(subject)}</title>
</head>
<body style="margin:0;font:16px/1.5 system-ui,sans-serif">
<div role="main" style="max-width:480px;margin:0 auto;padding:16px;overflow-wrap:anywhere">
${parts.join('\n')}
</div>
</body>
</html>
`
}

/**
 * Only an address of this service at the end of a line becomes a link: titles
 * come from strangers.
 */
function lineAsHtml(line: string, publicUrl: string) {
  const start = line.lastIndexOf(`${publicUrl}/`)
  const address = start < 0 ? '' : line.slice(start)
  if (!/^[^\s<>"']+$/.test(address)) return escapeMarkup(line)
  const link = escapeMarkup(address)
  return `${escapeMarkup(line.slice(0, start))}<a href="${link}">${link}</a>`
}
