// Starts the renderer of the API reference with the contract of this service, when a reader comes near it: calls go to the same
// origin.
const NEAR_PX = 300
const METHODS = ['get', 'post']

const place = document.querySelector('#reference')
const { renderer, tags, key } = place.dataset
let isStarted = false

function start() {
  if (isStarted) return
  isStarted = true
  const script = document.createElement('script')
  script.src = renderer
  script.onload = render
  document.head.append(script)
}

async function render() {
  const [content, feed] = await Promise.all([
    fetch('/openapi.json').then(answer => answer.json()),
    // A lot that exists, for operations on one lot; without lots the example of the contract stays.
    fetch('/feeds/listings.json?per_page=1').then(
      answer => answer.json(),
      () => null,
    ),
  ])
  const lot = /\/listings\/([^/]+)$/.exec(feed?.items?.[0]?.url ?? '')?.[1]
  // The page says this itself. On a phone the renderer shows the others as icons without a name; the site links to all three.
  for (const name of ['description', 'contact', 'license', 'termsOfService'])
    delete content.info[name]
  const order = tags.split(',')
  content.tags.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  const operations = Object.values(content.paths).flatMap(path =>
    METHODS.map(method => path[method] ?? {}),
  )
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map(parameter => tried(content, parameter, lot))
  }
  window.Scalar.createApiReference('#reference', {
    content,
    servers: [{ url: location.origin }],
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    // Like the header of the site, it follows the system.
    hideDarkModeToggle: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'none',
    defaultOpenFirstTag: true,
    // A reload keeps the key that the reader typed, in the storage of this browser.
    persistAuth: true,
    authentication: {
      preferredSecurityScheme: 'bearerAuth',
      ...(key ? { securitySchemes: { bearerAuth: { token: key } } } : {}),
    },
  })
}

/** A parameter with an example that "Test Request" starts with: of the optional ones only the category is ticked, so that rows come. */
function tried(content, written, lot) {
  const parameter = written.$ref
    ? written.$ref
        .slice(2)
        .split('/')
        .reduce((node, name) => node[name], content)
    : written
  const { example, ...rest } = parameter
  const isLot = parameter.in === 'path' && lot
  const isTicked = parameter.in === 'path' || parameter.name === 'category'
  return {
    ...rest,
    examples: { default: { value: isLot ? lot : example, 'x-disabled': !isTicked } },
  }
}

/* The list of operations leads to their places in the renderer. */
for (const link of document.querySelectorAll('a[data-open]')) link.href = `#${link.dataset.open}`
addEventListener('hashchange', start)
if (location.hash.startsWith('#tag/')) start()
new IntersectionObserver(([entry]) => entry.isIntersecting && start(), {
  rootMargin: `${NEAR_PX}px`,
}).observe(place)

// What the renderer (1.72.1) leaves unnamed or misnamed, as axe finds it: its copy buttons have no name, and that of
// "Show More" lacks the words on the button.
new MutationObserver(() => {
  for (const button of document.querySelectorAll('button.scalar-code-copy:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy')
  }
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) {
    const words = button.textContent.trim()
    const name = button.getAttribute('aria-label')
    if (!name.includes(words)) button.setAttribute('aria-label', `${words}: ${name}`)
  }
}).observe(place, { childList: true, subtree: true })
