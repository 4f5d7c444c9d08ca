import { type Html, html } from './html.ts'

/** What a form shows: its fields as they were sent, valid or not. */
export type Shown = Record<string, string | undefined>

export type Option = [value: string, words: string]

/**
 * A form that changes something.
 * @param formToken that of the viewer; null for a form without a session.
 * @param content the fields and the button.
 */
export function postForm(
  action: string,
  formToken: string | null,
  content: Html,
): Html {
  return html`<form method="post" action="${action}">${formToken !== null && hidden('form_token', formToken)}${content}</form>`
}

export function hidden(name: string, value: string | undefined): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/**
 * @param about what the button acts on, where several buttons of a page have
 * the same words: for screen readers.
 */
export function submit(
  words: string,
  style?: 'secondary' | 'danger' | null,
  about?: string,
): Html {
  return html`<button type="submit"${style && html` class="${style}"`}${about !== undefined && html` aria-label="${words}: ${about}"`}>${words}</button>`
}

/** A change behind a second click, because it cannot be undone. */
export function secondClick(words: string, form: Html): Html {
  return html`<details><summary>${words}</summary>
${form}</details>`
}

/**
 * Attributes of an input; `true` stands for one without a value, null,
 * undefined and `false` for none.
 */
type Attributes = Record<string, string | number | boolean | null | undefined>

/**
 * A line with a label and an input.
 * @param attributes those of the input; its id is its name unless they say
 * otherwise.
 * @param problem the sentence with the id "problem" says why the value was
 * refused.
 */
export function inputLine(
  label: string,
  attributes: Attributes & { name: string },
  problem = false,
): Html {
  const all = {
    id: attributes.name,
    ...attributes,
    ...(problem && { 'aria-invalid': 'true', 'aria-describedby': 'problem' }),
  }
  return html`<p><label for="${all.id}">${label}</label><br>
<input${attributesOf(all)}></p>`
}

/** The input of an e-mail address. */
export const EMAIL_INPUT = {
  name: 'address',
  type: 'email',
  autocomplete: 'email',
  maxlength: 254,
  required: true,
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) return []
    return value === true ? html` ${name}` : html` ${name}="${value}"`
  })
}

/**
 * A field with a choice; a chosen value that is none of the options is shown as
 * one more.
 * @param form the id of the form that the field belongs to, where it stands
 * outside of it.
 */
export function select(
  name: string,
  label: string,
  options: Option[],
  chosen = '',
  form?: string,
): Html {
  const all = options.some(([value]) => value === chosen)
    ? options
    : [...options, [chosen, chosen] satisfies Option]
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${form && html` form="${form}"`}>${all.map(
    ([value, words], at) =>
      html`<option value="${value}"${value === chosen && (value !== '' || at > 0) && html` selected`}>${words}</option>`,
  )}</select></div>`
}

/** A box that is ticked where its field is shown as `true`. */
export function check(name: string, label: string, shown: Shown): Html {
  return html`<label><input type="checkbox" name="${name}" value="true"${shown[name] === 'true' && html` checked`}> ${label}</label>`
}
