// Starts the renderer of the API reference on the contract of this very service: calls go to the same origin, and the
// reserved host of the written document becomes the one that is asked.
const RESERVED = 'https://surplus.example'

fetch('/openapi.json')
  .then(answer => answer.text())
  .then(text => {
    const content = JSON.parse(text.replaceAll(RESERVED, location.origin))
    // On a phone the renderer shows these as icons without a name; the site leads to all three.
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
      // The header of the site follows the system too.
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
