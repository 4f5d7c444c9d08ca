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
