// Starts the renderer of the API reference with the contract of this service: calls go to the same origin, and the reserved
// host in the document is replaced by the host of the page.
const RESERVED = 'https://surplus.example'

fetch('/openapi.json')
  .then(answer => answer.text())
  .then(text => {
    const content = JSON.parse(text.replaceAll(RESERVED, location.origin))
    // On a phone the renderer shows these as icons without a name; the site links to all three.
    for (const name of ['contact', 'license', 'termsOfService']) delete content.info[name]
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
      persistAuth: false,
    })
  })

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
}).observe(document.querySelector('#reference'), { childList: true, subtree: true })
