import { describe, expect, it } from 'vitest'
import { bidConditionsIn, deadlineIn } from '../../../src/domain/feeds/bidConditions.ts'
import { instantOfWallClock } from '../../../src/domain/feeds/moments.ts'
import { listed } from '../titles/listed.ts'

describe('a condition of bidding is read in', () => {
  const stated: Record<string, string[]> = {
    sealed_bid:
      listed(`Sealed bidding only. | Send bids in a sealed envelope. | Use GSA Form 114. | 2-1-QSC-S-26-002
      | Sealed Bid - Scrap Metal`),
    inspection_required: listed(`Inspection is mandatory. | Mandatory pre-bid inspection on Monday.
      | Bidders must inspect the trailer prior to bidding. | You must attend the site visit on December 1.
      | A physical inspection is required before placing a bid. | Only bidders who have inspected it may bid.
      | Bids of those who fail to attend the site visit will be rejected.`),
    us_citizens_only: listed(`This sale requires - US citizenship. | Buyer must be a U.S. Citizen.
      | Only U.S. persons may buy this item. | Limited to citizens of the United States.
      | Foreign nationals may not bid. | US citizenship is required.`),
    end_use_certificate:
      listed(`A completed EUC is needed. | DLA Form 1822 applies. | END USER CERTIFICATE REQUIRED
      | Statement of End-Use must be approved. | Trade security controls clearance takes 60 days.`),
    statement_required:
      listed(`Sign and return the attached acknowledgment form. | Send a signed statement before bidding.
      | Bidders shall submit the Bidder Acknowledgement Form. | Buyer must certify in writing that it is not for food.`),
    removal_cost_stated:
      listed(`Removal is estimated at $23,000 to $25,000. | Others paid $4,000 to remove such trailers.
      | Disassembly will cost about 15,000 dollars. | A $250 loading fee applies.`),
  }
  const cases = Object.entries(stated).flatMap(([name, texts]) =>
    texts.map(text => [text, name] as const),
  )
  it.each(cases)('%j: %s', (text, name) => expect(bidConditionsIn(text)).toEqual([name]))

  it.each(
    listed(`No sealed bids are accepted. | This is not a sealed bid sale. | Sealed bearings, two sets.
      | A mandatory inspection is not required. | Inspection is not mandatory but recommended.
      | Inspection by appointment is mandatory to enter. | Inspection is required prior to removal.
      | Bidders are urged and cautioned to inspect the property prior to submitting a bid.
      | Failure to inspect does not constitute grounds to reject the sale.
      | Non-US citizens may bid. | US citizenship is not required. | Only US citizens can be escorted.
      | No End Use Certificate is required. | An EUC is not required.
      | Storage of $50 per day is charged if not removed. | If not removed in 10 days, storage costs $50 per day.
      | Transport chair, original acquisition cost $1,200. | Transmission was removed; a new one costs $4,000.
      | Payment over $10,000 by credit card is refused; pay before removal. | Removal by Friday. $100 is the least bid.`),
  )('but not in %j', text => expect(bidConditionsIn(text)).toEqual([]))
})

describe('the deadline that a text names', () => {
  it.each([
    ['Bid Submission Deadline: December 2, 2026, 5:00 PM Central Time', '2026-12-02T23:00:00Z'],
    [
      'Bid Submission Deadline: Wednesday, Dec. 2, 2026 at 5 p.m. (Mountain)',
      '2026-12-03T00:00:00Z',
    ],
    ['Bid deadline: 5:00 PM CST, December 2nd, 2026', '2026-12-02T23:00:00Z'],
    ['Bids are due no later than 12/2/2026, 17:00', '2026-12-02T23:00:00Z'],
    ['Bids must be received by December 2, 2026, 2:00 PM EST.', '2026-12-02T19:00:00Z'],
    ['Auction closes December 2, 2026 at 12:00 noon CT', '2026-12-02T18:00:00Z'],
    ['Bid submission deadline: December 2, 2026, 5:00 PM Alaska Time', '2026-12-03T02:00:00Z'],
    ['Bids due December 2, 2026, 5:00 PM HST', '2026-12-03T03:00:00Z'],
    // Nobody knows which clock that is.
    ['Bids due December 2, 2026, 5:00 PM local time', null],
    ['Payment due: December 2, 2026, 5:00 PM CST', null],
    ['Bid opening: December 2, 2026, 3:00 PM CST', null],
  ])('in %j is %s', (text, instant) => {
    expect(instantOfWallClock(deadlineIn(text) ?? '', 'America/Chicago')).toBe(instant)
  })
})
