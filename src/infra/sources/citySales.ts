import { sodaSales } from './sodaSales.ts'

/**
 * Seattle's "Sold Fleet Equipment" (public domain): vehicles and machines of the city with the price they were sold at,
 * for this year and the two before. Columns: equip_id, year, make, model, description, dept, sale_price, sale_date,
 * sold_by; makes are often cut to four letters (TOYO).
 */
export const seattle = sodaSales({
  source: 'seattle',
  name: 'City of Seattle Fleet Sales',
  page: 'https://data.seattle.gov/d/y6ef-jf2w',
  city: 'Seattle',
  state: 'WA',
  zone: 'America/Los_Angeles',
  fields: {
    id: 'equip_id',
    price: 'sale_price',
    date: 'sale_date',
    title: ['year', 'make', 'model', 'description'],
  },
  select: null,
})

/**
 * Norfolk's "Towing" (Office of Towing & Recovery): towed vehicles, of which those with sold_for went to a bidder of the
 * city's auction. The table also has plates and where a car was towed from, so only these columns are asked for.
 */
export const norfolk = sodaSales({
  source: 'norfolk',
  name: 'City of Norfolk Vehicle Auctions',
  page: 'https://data.norfolk.gov/d/4dwc-v3t8',
  city: 'Norfolk',
  state: 'VA',
  zone: 'America/New_York',
  fields: {
    id: 'trip_ticket_number',
    price: 'sold_for',
    date: 'auction_date',
    title: ['vehicle_year', 'vehicle_make', 'vehicle_model', 'vehicle_type'],
    category: 'vehicles',
    fate: 'release_status',
  },
  select: [
    'trip_ticket_number',
    'vehicle_type',
    'vehicle_make',
    'vehicle_model',
    'vehicle_year',
    'auction_date',
    'sold_for',
    'release_status',
  ],
})
