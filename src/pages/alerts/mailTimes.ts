import labels from '../../../data/labels.json' with { type: 'json' }
import { invalidRequest } from '../../contract/errors.ts'
import type { MailTimes } from '../../domain/alerts/savedSearch.ts'
import { type Option, postForm, select, submit } from '../kit/forms.ts'
import { html } from '../kit/html.ts'
import type { Fields } from '../kit/requests.ts'

const TIME_ZONES: Record<string, string> = labels.alerts.time_zones
const HOURS = Array.from(
  { length: 24 },
  (_, hour): Option => [String(hour), hourText(hour)],
)

/** "8:00 AM, not from 10:00 PM to 7:00 AM (Eastern)". */
export function timesInWords({
  time_zone,
  digest_hour,
  quiet_from,
  quiet_until,
}: MailTimes) {
  const quiet =
    quiet_from === quiet_until
      ? ''
      : `, not from ${hourText(quiet_from)} to ${hourText(quiet_until)}`
  return `${hourText(digest_hour)}${quiet} (${TIME_ZONES[time_zone] ?? time_zone})`
}

/** The form with the times of all mails of an account. */
export function timesSection(times: MailTimes, formToken: string) {
  const fields = html`<div class="fields">
${select('digest_hour', 'Hour of daily and weekly emails', HOURS, String(times.digest_hour))}
${select('time_zone', 'Time zone', Object.entries(TIME_ZONES), times.time_zone)}
${select('quiet_from', 'Quiet from', HOURS, String(times.quiet_from))}
${select('quiet_until', 'Quiet until', HOURS, String(times.quiet_until))}
</div>
<p class="quiet">${labels.notes.quiet_hours}</p>
<p>${submit('Save the times', 'secondary')}</p>`
  return html`<section id="times">
<h2>When we email you</h2>
${postForm('/account/alerts/times', formToken, fields)}</section>`
}

/**
 * Reads the form.
 * @param current the zone of the account, which a browser may have said.
 * @throws ApiError 400.
 */
export function timesOfFields(fields: Fields, current: string): MailTimes {
  const { time_zone = '' } = fields
  if (time_zone !== current && !Object.hasOwn(TIME_ZONES, time_zone))
    throw invalidRequest(
      `Choose a time zone: ${Object.keys(TIME_ZONES).join(', ')}.`,
    )
  return {
    time_zone,
    digest_hour: hourOf(fields, 'digest_hour'),
    quiet_from: hourOf(fields, 'quiet_from'),
    quiet_until: hourOf(fields, 'quiet_until'),
  }
}

function hourOf(fields: Fields, name: string) {
  const text = fields[name] ?? ''
  if (!/^\d{1,2}$/.test(text) || Number(text) > 23)
    throw invalidRequest(`"${name}" must be an hour from 0 to 23.`)
  return Number(text)
}

function hourText(hour: number) {
  return `${hour % 12 || 12}:00 ${hour < 12 ? 'AM' : 'PM'}`
}
