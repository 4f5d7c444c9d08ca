/**
 * A card of the index, with the eleven fields of the recorded one; the notice of sale names people,
 * as the real ones do.
 */
export function irsCard(slug: string, changes: Record<string, unknown> = {}) {
  return {
    cardType: 'ad',
    title: `Vacant land, two acres (${slug})`,
    url: `/ad/${slug}/`,
    date: 'Dec 10, 2026 12:00 PM',
    location: 'Pembroke NH, 03275',
    minimumBid: '81480.00',
    image: `/sites/default/files/${slug}.jpg`,
    imageAlt: '',
    content:
      'Vacant land 12 Cedar Way Henderson NC 27537 United States 81480.00 Pat Lindqvist, Property Appraisal and Liquidation ' +
      'Specialist (770) 555-0101 pat.lindqvist@irs.example Atlanta GA 30341. Taxpayer: Morgan Deverell.',
    section: 'auctions',
    weight: 1,
    ...changes,
  }
}
