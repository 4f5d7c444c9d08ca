// Starts the renderer of the API reference on the contract of this very service: calls go to the same origin, and the
// reserved host of the written document becomes the one that is asked.
const RESERVED = 'https://surplus.example'

fetch('/openapi.json')
  .then(answer => answer.text())
  .then(text => {
    window.Scalar.createApiReference('#reference', {
      content: JSON.parse(text.replaceAll(RESERVED, location.origin)),
      servers: [{ url: location.origin }],
      theme: 'default',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
      documentDownloadType: 'none',
      persistAuth: false,
    })
  })
