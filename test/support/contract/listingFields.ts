import type { ListingDetail } from '../../../src/contract/types.ts'
import { contract } from './contract.ts'
import { nullableProperties } from './toldObjects.ts'

/** The fields of a listing in the order of the contract. */
export const LISTING_FIELDS = contract.propertiesOf('Listing')

type NullableField = {
  [Name in keyof ListingDetail]: null extends ListingDetail[Name] ? Name : never
}[keyof ListingDetail]

/** The fields of one listing that may be null, in the order of the contract. */
export const NULLABLE_FIELDS = [...nullableProperties().keys()].flatMap(property => {
  const [schema, name] = property.split('.')
  return schema === 'Listing' || schema === 'ListingDetail' ? (name as NullableField) : []
})

/** A listing of which nothing is known: null in each of these fields. */
export const NOTHING_KNOWN = Object.fromEntries(
  NULLABLE_FIELDS.map(name => [name, null]),
) as Record<NullableField, null>
