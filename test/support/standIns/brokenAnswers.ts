import type { GsaLot } from './gsaLots.ts'
import { BLOCK_PAGE, type Served } from './standIn.ts'

/** What a source was seen to send, or might, between two good answers with these lots. @param sends a whole answer with some lots. */
export function brokenAnswers(
  good: GsaLot[],
  sends: (lots: GsaLot[]) => Served,
): [shape: string, answer: Served][] {
  const every = (changes: (lot: GsaLot, n: number) => Record<string, unknown>) =>
    sends(good.map((lot, n) => ({ ...lot, ...changes(lot, n) })))
  const without = (field: string) => every(() => ({ [field]: null }))
  const whole = sends(good)
  const lots = good.length
  return [
    ['the first 60% of the lots', sends(good.slice(0, lots * 0.6))],
    ['the last 60% of the lots', sends(good.slice(lots * 0.4))],
    ['all lots but one', sends(good.slice(1))],
    ['a third of the lots', sends(good.slice(0, lots / 3))],
    ['no lots', sends([])],
    ['its first 100 lots twice', sends([...good.slice(0, 100), ...good.slice(0, 100)])],
    ['no bids', without('highBidAmount')],
    ['no bids of a fifth of the lots', every((_, n) => (n % 5 ? {} : { highBidAmount: null }))],
    ['bids of 0', every(() => ({ highBidAmount: 0 }))],
    ['bids in cents as dollars', every(lot => ({ highBidAmount: Number(lot.highBidAmount) / 100 }))],
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
    ['half of its text', { ...whole, body: String(whole.body).slice(0, String(whole.body).length / 2) }],
    ['a status of all lots that it never had', every(() => ({ auctionStatus: 'Unknown' }))],
  ]
}
