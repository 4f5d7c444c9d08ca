import { formToken } from '../../../src/domain/accounts/secretToken.ts'
import { type Answer, send } from '../service/rawHttp.ts'
import { unescaped, wordsOf } from './readPage.ts'

/** A form on a page, with what its fields hold. */
interface PageForm {
  action: string
  fields: Record<string, string>
  submit(typed?: Record<string, string>): Promise<Page>
}

/** An answer as a browser has it. */
export interface Page extends Answer {
  /** The form that is sent to this address. */
  form(action: string): PageForm
  forms: PageForm[]
  /** The text of the page without its marks. */
  text: string
}

/**
 * As much of a browser as the pages need: cookies, forms, and the Origin of what it sends.
 * Redirects are for the test to see.
 */
export class FormBrowser {
  readonly cookies = new Map<string, string>()
  private readonly address: string
  private readonly origin: string

  constructor(address: string, origin: string) {
    this.address = address
    this.origin = origin
  }

  open(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.call('GET', path, headers)
  }

  /** Sends a form, as a page of the site itself would, unless `headers` say otherwise. */
  submit(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const body = new URLSearchParams(fields).toString()
    const sent = {
      origin: this.origin,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    }
    return this.call('POST', path, sent, body)
  }

  async call(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Page> {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
    if (this.cookies.size > 0 && sent.cookie === undefined) sent.cookie = this.cookieHeader()
    if (body !== undefined) sent['content-length'] = String(Buffer.byteLength(body))
    const answer = await send(this.address, {
      method,
      path,
      headers: sent,
      ...(body === undefined ? {} : { body }),
    })
    this.keep(answer.headers['set-cookie'])
    return this.pageOf(answer)
  }

  /** The page that an answer redirects to; the answer itself when it does not. */
  async follow(sent: Promise<Page>): Promise<Page> {
    const page = await sent
    return page.status === 303 ? this.open(String(page.headers.location)) : page
  }

  /** Makes a key on the account page. @returns the key, which only this answer shows. */
  async newKey(name: string): Promise<string> {
    const page = await this.follow(
      (await this.open('/account')).form('/account/keys').submit({ name }),
    )
    const [key] = /bp_live_[0-9A-Za-z]{36}/.exec(page.body) ?? []
    if (!key) throw new Error(`No key was made: ${page.status} ${page.text}`)
    return key
  }

  /** The token that the forms of this session carry. */
  formToken(): string {
    return formToken(this.cookies.get('surplus-session')!)
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  private keep(header: string | undefined): void {
    const [, name, value] = /^([^=;]+)=([^;]*)/.exec(header ?? '') ?? []
    if (name === undefined || value === undefined) return
    if (value === '') this.cookies.delete(name)
    else this.cookies.set(name, value)
  }

  private pageOf(answer: Answer): Page {
    const forms = [
      ...answer.body.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/gs),
    ].map(([, action = '', inner = '']): PageForm => {
      const inputs = [...inner.matchAll(/<input[^>]*?name="([^"]*)"[^>]*>/g)]
        .filter(([tag]) => !/type="(checkbox|radio)"/.test(tag) || / checked/.test(tag))
        .map(([tag, name = '']) => [name, unescaped(/value="([^"]*)"/.exec(tag)?.[1] ?? '')])
      const selects = [...inner.matchAll(/<select[^>]*?name="([^"]*)"[^>]*>(.*?)<\/select>/gs)].map(
        ([, name = '', options = '']) => {
          const value = /value="([^"]*)" selected/.exec(options) ?? /value="([^"]*)"/.exec(options)
          return [name, unescaped(value?.[1] ?? '')]
        },
      )
      const fields = Object.fromEntries([...inputs, ...selects])
      return {
        action,
        fields,
        submit: (typed = {}) => this.submit(action, { ...fields, ...typed }),
      }
    })
    return {
      ...answer,
      forms,
      form: action => {
        const found = forms.find(one => one.action === action)
        if (!found)
          throw new Error(
            `No form is sent to ${action}: ${answer.status} ${answer.body.slice(0, 2_000)}`,
          )
        return found
      },
      text: wordsOf(answer.body),
    }
  }
}
