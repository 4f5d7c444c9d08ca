import { beforeAll, describe, expect, it } from 'vitest'
import { applyLook, endOperatorPlans } from '../../src/infra/accounts/subscriptions.ts'
import { clock, DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'

const OWNER = 'jane@example.com'

const site = serviceFor()

beforeAll(async () => {
  await site.signedIn(OWNER)
})

const surplus = (...args: string[]) =>
  runSurplusHere(['accounts', ...args], { DATABASE_URL: site.databaseUrl, KEY_PEPPER: PEPPER })
const accountPage = async () => (await (await site.signedIn(OWNER)).open('/account')).text
const planOf = async () =>
  (await site.sql`select plan from accounts where owner = ${OWNER}`)[0]!.plan
const look = (number: number, status: string | null) =>
  applyLook(
    { sql: site.sql, now: DATABASE_NOW },
    { id: `evt_${number}`, customer: 'cus_jane', look: number },
    { plan: status ? 'pro' : 'free', status, endsAt: null, unknownPrices: [] },
  )

describe('surplus accounts list', () => {
  it('begins with the account of the most calls of this month', async () => {
    const [busy, refused] = await Promise.all([
      site.makeKey('free', { owner: 'busy@example.com' }),
      site.makeKey('free', { owner: 'refused@example.com', monthly: 1 }),
    ])
    for (const key of [refused, refused, refused, busy, busy])
      await site.get('/api/v1/sources', { key })
    const { accounts } = JSON.parse((await surplus('list', '--json')).stdout)
    expect(accounts).toMatchObject([
      { owner: 'busy@example.com', used_this_month: 2 },
      { owner: 'refused@example.com', used_this_month: 1 },
      { owner: OWNER, used_this_month: 0 },
    ])
  })
})

describe('surplus accounts set-plan', () => {
  it('sets a plan until a day, lists who set it, shows it on the page, and ends it by itself', async () => {
    const set = await surplus(
      'set-plan',
      'Jane@Example.com',
      'pro_plus',
      '--until',
      '2099-01-31',
      '--json',
    )
    expect(JSON.parse(set.stdout)).toMatchObject({
      owner: OWNER,
      plan: 'pro_plus',
      until: '2099-01-31T00:00:00.000Z',
    })
    const { accounts } = JSON.parse((await surplus('list', '--json')).stdout)
    const account = accounts.find(({ owner }: { owner: string }) => owner === OWNER)
    const until = '2099-01-31T00:00:00Z'
    expect(account).toMatchObject({ plan: 'pro_plus', until, subscription: null, live_keys: 0 })
    expect(account.set_by).toMatch(/./)
    expect(await accountPage()).toContain(
      'The operator of this service set this plan, until Jan 31, 2099;',
    )
    await endOperatorPlans({ sql: site.sql, now: clock(new Date('2099-01-30T23:59:59Z')) })
    expect(await planOf()).toBe('pro_plus')
    await endOperatorPlans({ sql: site.sql, now: clock(new Date('2099-01-31T00:00:00Z')) })
    expect(await planOf()).toBe('free')
    expect(await accountPage()).not.toContain('set this plan')
  })

  it('stays when Stripe reports no subscription, gives way to one, and is refused beside one', async () => {
    await site.sql`update accounts set stripe_customer = 'cus_jane' where owner = ${OWNER}`
    expect((await surplus('set-plan', OWNER, 'enterprise')).code).toBe(0)
    await look(1, null)
    expect(await planOf()).toBe('enterprise')
    await look(2, 'active')
    expect(await planOf()).toBe('pro')
    const refused = await surplus('set-plan', OWNER, 'enterprise')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `${OWNER} has a subscription at Stripe (active), which decides the plan. Change or cancel it there first; nothing was changed.\n`,
    ])
    await look(3, null)
    expect(await planOf()).toBe('free')
  })

  it.each([
    [
      ['set-plan', 'nobody@example.com', 'pro'],
      1,
      'No account has the address nobody@example.com.',
    ],
    [['set-plan', OWNER, 'gold'], 2, 'Allowed choices are free, pro, pro_plus, enterprise.'],
    [['set-plan', OWNER, 'pro', '--until', '2026-02-30'], 2, '--until must be a day after today'],
    [['set-plan', OWNER, 'pro', '--until', '2020-01-01'], 2, '--until must be a day after today'],
    [
      ['set-plan', OWNER, 'free', '--until', '2099-01-01'],
      2,
      '--until is for plans other than free.',
    ],
  ])('%j is refused', async (args, code, said) => {
    const ran = await surplus(...args)
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(said)])
  })
})
