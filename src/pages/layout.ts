import { type Html, html } from './html.ts'

/** One page of the service around its content. */
export function layout(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Government Surplus Auction Data API</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><nav><a href="/">Surplus Auction Data</a> <a href="/docs">Docs</a> <a href="/docs/errors">Errors</a> <a href="/pricing">Pricing</a> <a href="/terms">Terms</a></nav></header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.markup
}

export const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 46rem; padding: 1rem; }
nav a { margin-right: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid GrayText; padding: .4rem .6rem; text-align: left; vertical-align: top; }
code, pre { font-family: ui-monospace, monospace; overflow-x: auto; }
.action { display: inline-block; padding: .6rem 1rem; border: 2px solid LinkText; border-radius: .4rem; text-decoration: none; }
`
