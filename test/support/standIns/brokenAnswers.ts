import { type GsaLot, gsaLot } from './gsaLots.ts'
import { BLOCK_PAGE, type Served } from './standIn.ts'

/** Of which a third are 20: the fewest that may not lose something at once. */
export const LOTS = 60

/**
 * The lots of a source as they are on offer, each with another end and title. Their texts are
 * short: each test reads all of them several times.
 */
export const GOOD: GsaLot[] = Array.from({ length: LOTS }, (_, n) =>
  gsaLot(n + 1, {
    itemName: `Desk ${n + 1}`,
    biddersCount: 1 + (n % 7),
    aucEndDt: `2026-12-${10 + (n % 15)}`,
    lotInfo: '<p>Used, as is.</p>',
    instruction: null,
    contractOfficer: null,
    coEmail: null,
    coPhone: null,
  }),
)

/**
 * The shapes that each portal reads in its own way, and a loss of each kind. What the others lead to
 * is decided when the rows are read, whatever the portal.
 */
const OF_PORTALS = [
  'the first 60% of the lots',
  'no lots',
  'no bids',
  'no ends',
  'numbers as titles',
  'no titles of half of the lots',
  'a web page',
  'an error',
  'half of its text',
  'a status of all lots that it never had',
]

/** What a table of a portal sends between two good answers. */
export function brokenTables(sends: (lots: GsaLot[]) => Served): [shape: string, answer: Served][] {
  const all = new Map(brokenAnswers(sends))
  return OF_PORTALS.map(shape => [shape, all.get(shape)!])
}

/**
 * What a source was seen to send, or might, between two good answers.
 * @param sends a whole answer with some lots.
 */
export function brokenAnswers(
  sends: (lots: GsaLot[]) => Served,
): [shape: string, answer: Served][] {
  const every = (changes: (lot: GsaLot, n: number) => Record<string, unknown>) =>
    sends(GOOD.map((lot, n) => ({ ...lot, ...changes(lot, n) })))
  const without = (field: string) => every(() => ({ [field]: null }))
  const whole = sends(GOOD)
  return [
    ['the first 60% of the lots', sends(GOOD.slice(0, LOTS * 0.6))],
    ['the last 60% of the lots', sends(GOOD.slice(LOTS * 0.4))],
    ['all lots but one', sends(GOOD.slice(1))],
    ['a third of the lots', sends(GOOD.slice(0, LOTS / 3))],
    ['no lots', sends([])],
    ['two thirds of its lots twice', sends([...GOOD.slice(0, 40), ...GOOD.slice(0, 40)])],
    ['no bids', without('highBidAmount')],
    ['no bids of a third of the lots', every((_, n) => (n % 3 ? {} : { highBidAmount: null }))],
    ['bids of 0', every(() => ({ highBidAmount: 0 }))],
    [
      'bids in cents as dollars',
      every(lot => ({ highBidAmount: Number(lot.highBidAmount) / 100 })),
    ],
    ['no bidders', every(() => ({ biddersCount: 0 }))],
    ['ends of two days ago', every(() => ({ aucEndDt: '2026-11-19' }))],
    ['no ends', without('aucEndDt')],
    ['ends that are no days', every(() => ({ aucEndDt: 'soon' }))],
    ['one title for all', every(() => ({ itemName: 'LOADING…' }))],
    ['numbers as titles', every((_, n) => ({ itemName: `Item ${n}` }))],
    ['titles in another encoding', every(lot => ({ itemName: `${lot.itemName} Ã©` }))],
    ['no titles of half of the lots', every((_, n) => (n % 2 ? {} : { itemName: '' }))],
    ['no descriptions', without('lotInfo')],
    ['no pictures', without('imageURL')],
    ['no places', every(() => ({ propertyCity: null, propertyState: null, propertyZip: null }))],
    ['other numbers of lots', every(lot => ({ lotNo: `L${lot.lotNo}` }))],
    ['a web page', BLOCK_PAGE],
    ['an error', { status: 500, body: 'oops' }],
    [
      'half of its text',
      { ...whole, body: String(whole.body).slice(0, String(whole.body).length / 2) },
    ],
    ['a status of all lots that it never had', every(() => ({ auctionStatus: 'Unknown' }))],
  ]
}
