import labels from '../../../data/labels.json' with { type: 'json' }
import { priceOf } from '../../domain/price.ts'
import type { ListingShown } from '../../usecases/showListing.ts'

/** The schema.org conditions for the grades that sources use. */
const CONDITIONS: Record<string, string> = labels.conditions

/** A lot as a schema.org Product, with an Offer when a price is known. */
export function productOf({ listing, sale }: ListingShown): object {
  const cents = sale?.final_bid_cents ?? priceOf(listing)?.cents ?? null
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: listing.title,
    category: listing.category,
    sku: listing.id,
    url: listing.bidprowl_url,
    ...(listing.image_url ? { image: listing.image_url } : {}),
    ...(cents === null ? {} : { offers: offerOf({ listing, sale }, cents) }),
  }
}

function offerOf({ listing }: Pick<ListingShown, 'listing' | 'sale'>, cents: number): object {
  const condition = CONDITIONS[listing.condition_grade ?? '']
  return {
    '@type': 'Offer',
    url: listing.source_url,
    price: (cents / 100).toFixed(2),
    priceCurrency: 'USD',
    availability: `https://schema.org/${availabilityOf(listing.status)}`,
    ...(listing.end_date ? { priceValidUntil: listing.end_date, availabilityEnds: listing.end_date } : {}),
    ...(condition ? { itemCondition: condition } : {}),
    seller: { '@type': 'Organization', name: listing.source_name },
  }
}

function availabilityOf(status: string): string {
  if (status === 'live') return 'InStock'
  if (status === 'upcoming') return 'PreOrder'
  return status === 'sold' ? 'SoldOut' : 'Discontinued'
}
