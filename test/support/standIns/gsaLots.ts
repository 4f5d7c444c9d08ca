/**
 * Lots as recorded answers of 2026 have them: 34 fields in this order, dates without a time, the
 * selling office apart from the lot's place.
 */
export interface GsaLot {
  [field: string]: unknown
  saleNo: string
  lotNo: string
}

/** Name, city, state, ZIP code and condition. */
const KINDS = [
  ['2014 Ford F-150 XL Pickup Truck', 'Springfield', 'IL', '62703', 'used'],
  ['STEEL DESKS AND TASK CHAIRS', 'Austin', 'TX', '787011234', 'repairable'],
  ['Dell Latitude Laptops, Lot of 10', 'Washington', 'DC', '20001', 'salvage'],
  ['Patient Monitor', 'San Juan', 'PR', '00918', 'new'],
] as const

/** One lot of a sale in Illinois that ends on the given Central day. */
export function gsaLot(n: number, changes: Record<string, unknown> = {}): GsaLot {
  const [name, city, state, zip, condition] = KINDS[n % KINDS.length]!
  const lotNo = String(n).padStart(3, '0')
  return {
    saleNo: '3-1-QSC-I-27-006',
    lotNo,
    aucStartDt: '2026-11-10',
    aucEndDt: '2026-11-24',
    itemName: `${name} ${n}`,
    propertyAddr1: '1 Depot Road',
    propertyAddr2: null,
    propertyAddr3: 'Suite 700 ',
    propertyCity: city,
    propertyState: state,
    propertyZip: zip,
    auctionStatus: 'Active',
    saleLocation: 'GSA Region 7',
    locationOrg: 'GSA',
    locationStAddr: '1 Sale Street',
    locationCity: 'SPRINGFIELD         ',
    locationST: 'IL',
    locationZip: '62703null',
    biddersCount: n % 7,
    lotInfo: `<h4>Description</h4><p>(4) pieces, 15 EA &amp; more. This lot is in ${condition} condition.</p>
      <h4>Inspection</h4><p>By appointment only. Contact Casey Holt at (217) 555-0142 or casey.holt@agency.example.</p>
      <p>Removal within ten days. Questions go to Robin Q Vance.</p>`,
    instruction: 'Point of Contact:\ncasey.holt@agency.example (217) 555-0142 Extn : 15690',
    contractOfficer: 'Robin Q Vance',
    coEmail: 'robin.vance@gsa.example',
    coPhone: '2175550199',
    reserve: true,
    aucIncrement: 25,
    highBidAmount: 100 + n + 0.5,
    inactivityTime: 10,
    agencyCode: '47',
    bureauCode: '00',
    agencyName: 'GSA',
    bureauName: 'FAS',
    itemDescURL: `https://www.gsaauctions.gov/auctions/preview/${378_000 + n}`,
    imageURL: `https://www.ppms.gov/gw/auction/ppms/api/v1/auction/image/31QSCI27006${lotNo}.jpg`,
    ...changes,
  }
}

export function gsaLots(count: number, changes: Record<string, unknown> = {}): GsaLot[] {
  return Array.from({ length: count }, (_, n) => gsaLot(n + 1, changes))
}
