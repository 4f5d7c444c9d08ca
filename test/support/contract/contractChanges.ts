/** A parsed contract that a change may bend. */
// biome-ignore lint/suspicious/noExplicitAny: the tests reach anywhere into it
export type Draft = any

type Change = (draft: Draft) => void

const search = (draft: Draft) => draft.paths['/api/v1/listings'].get
const listing = (draft: Draft) => draft.components.schemas.Listing
const parameter = (draft: Draft, name: string) => draft.components.parameters[name]

function dropProperty(schema: Draft, name: string): void {
  delete schema.properties[name]
  schema.required = schema.required.filter((known: string) => known !== name)
}

/** What a client of the released contract does not notice. */
export const HARMLESS_CHANGES: [change: string, make: Change][] = [
  [
    'a new response property',
    draft => {
      listing(draft).properties.vin = { type: ['string', 'null'], maxLength: 20 }
      listing(draft).required.push('vin')
    },
  ],
  [
    'a single lot with a property more than the lots of a page',
    draft => {
      const [, detail] = draft.components.schemas.ListingDetail.allOf
      detail.properties.note = { type: ['string', 'null'], maxLength: 20 }
      detail.required.push('note')
    },
  ],
  [
    'a new optional parameter',
    draft => {
      search(draft).parameters.push({ name: 'vin', in: 'query', schema: { type: 'string', maxLength: 20 } })
    },
  ],
  [
    'a raised maximum of a parameter',
    draft => {
      parameter(draft, 'perPage').schema.maximum = 100
    },
  ],
  [
    'a new path',
    draft => {
      draft.paths['/api/v1/more'] = { get: { ...search(draft), operationId: 'more' } }
    },
  ],
  [
    'a new sort order',
    draft => {
      draft.components.schemas.Sort.enum.push('nearest')
    },
  ],
  [
    'other words',
    draft => {
      search(draft).description = 'Other words.'
    },
  ],
]

/** What breaks one, and the rule of oasdiff that says so. */
export const BREAKING_CHANGES: [change: string, rule: string, make: Change][] = [
  [
    'a removed path',
    'api-path-removed',
    draft => {
      delete draft.paths['/api/v1/sources']
    },
  ],
  [
    'a removed property of what a webhook sends',
    'response-required-property-removed',
    draft => {
      dropProperty(draft.components.schemas.MatchedChange, 'num_bids')
    },
  ],
  [
    'a removed response property',
    'response-required-property-removed',
    draft => {
      dropProperty(listing(draft), 'city')
    },
  ],
  [
    'a changed type of a response property',
    'response-property-type-changed',
    draft => {
      listing(draft).properties.num_bids.type = 'string'
    },
  ],
  [
    'a response property that may now be null',
    'response-property-',
    draft => {
      listing(draft).properties.num_bids.type = ['integer', 'null']
    },
  ],
  [
    'a response property that is not required any more',
    'response-property-became-optional',
    draft => {
      listing(draft).required.pop()
    },
  ],
  [
    'a new required parameter',
    'new-required-request-parameter',
    draft => {
      search(draft).parameters.push({
        name: 'vin',
        in: 'query',
        required: true,
        schema: { type: 'string' },
      })
    },
  ],
  [
    'a parameter that is required now',
    'request-parameter-became-required',
    draft => {
      parameter(draft, 'q').required = true
    },
  ],
  [
    'a removed parameter',
    'request-parameter-removed',
    draft => {
      search(draft).parameters = search(draft).parameters.filter((one: Draft) => !one.$ref.endsWith('/zip'))
    },
  ],
  [
    'a lowered maximum of a parameter',
    'request-parameter-max-decreased',
    draft => {
      parameter(draft, 'perPage').schema.maximum = 20
    },
  ],
  [
    'a raised minimum of a parameter',
    'request-parameter-min-increased',
    draft => {
      parameter(draft, 'page').schema.minimum = 2
    },
  ],
  [
    'a shorter text of a parameter',
    'request-parameter-max-length-decreased',
    draft => {
      parameter(draft, 'q').schema.maxLength = 100
    },
  ],
  [
    'a changed default of a parameter',
    'request-parameter-default-value-changed',
    draft => {
      parameter(draft, 'radiusMiles').schema.default = 25
    },
  ],
  [
    'a removed sort order',
    'request-parameter-enum-value-removed',
    draft => {
      draft.components.schemas.Sort.enum.pop()
    },
  ],
  [
    'a removed category',
    'request-parameter-enum-value-removed',
    draft => {
      draft.components.schemas.Category.enum.shift()
    },
  ],
  [
    'a new category, which a closed list of answers may not get',
    'response-property-enum-value-added',
    draft => {
      draft.components.schemas.Category.enum.push('boats')
    },
  ],
  [
    'a new error code',
    'response-property-enum-value-added',
    draft => {
      draft.components.schemas.ErrorCode.enum.push('teapot')
    },
  ],
  [
    'a removed success status',
    'response-success-status-removed',
    draft => {
      delete draft.paths['/api/v1/mcp'].post.responses['202']
    },
  ],
  [
    'a removed error status',
    'response-non-success-status-removed',
    draft => {
      delete search(draft).responses['429']
    },
  ],
  [
    'a removed operationId',
    'api-operation-id-removed',
    draft => {
      delete search(draft).operationId
    },
  ],
  [
    'another operationId',
    'api-operation-id-removed',
    draft => {
      search(draft).operationId = 'listListings'
    },
  ],
  [
    'a removed schema',
    'api-schema-removed',
    draft => {
      const { content } = draft.paths['/api/v1/flip-score/{id}'].get.responses['200']
      content['application/json'].schema = draft.components.schemas.FlipScoreEnvelope
      delete draft.components.schemas.FlipScoreEnvelope
    },
  ],
  [
    'another content type',
    'response-media-type-removed',
    draft => {
      const { content } = draft.paths['/api/v1/export'].get.responses['200']
      content['text/plain'] = content['text/csv']
      delete content['text/csv']
    },
  ],
  [
    'a response header that is gone',
    'required-response-header-removed',
    draft => {
      delete draft.components.responses.TooManyRequests.headers['Retry-After']
    },
  ],
  [
    'a rate header that is gone',
    'optional-response-header-removed',
    draft => {
      delete search(draft).responses['200'].headers['RateLimit-Remaining']
    },
  ],
  [
    'an optional property that is gone',
    'response-optional-property-removed',
    draft => {
      delete draft.components.schemas.ApiError.properties.upgrade
    },
  ],
  [
    'another spelling of a parameter',
    'request-parameter-pattern-changed',
    draft => {
      parameter(draft, 'state').schema.pattern = '^[A-Z]{2}$'
    },
  ],
  [
    'a larger plan',
    'api-security-',
    draft => {
      search(draft).security = [{ bearerAuth: ['pro'] }]
    },
  ],
  [
    'a dropped {} of the security, so that callers without a key are refused',
    'keyless-security-removed',
    draft => {
      draft.paths['/api/v1/mcp'].post.security = [{ bearerAuth: ['free'] }]
    },
  ],
  [
    'a key where none was needed',
    'api-security-',
    draft => {
      draft.paths['/api/v1/mcp'].post.security = [{ bearerAuth: ['pro'] }]
    },
  ],
  [
    'a deprecation with less than 180 days',
    'api-sunset-date-too-small',
    draft => {
      Object.assign(search(draft), {
        deprecated: true,
        'x-sunset': new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10),
      })
    },
  ],
]
