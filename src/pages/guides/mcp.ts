import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'
import { markdownGuide } from './markdownGuide.ts'

/** The guide of docs/mcp.md; before there is one, what the contract says. */
export function mcpPage(publicUrl: string): string {
  return (
    markdownGuide('mcp.md', publicUrl) ??
    guidePage(
      '/docs/mcp',
      html`<p>The contract declares an endpoint for software agents, <code>POST ${publicUrl}/api/v1/mcp</code> (Model Context Protocol over stateless streamable HTTP), with four
tools over the same data and quotas: <code>search_listings</code>, <code>get_listing</code>, <code>sold_comps</code> and <code>flip_score</code>.</p>
<p class="notice" role="status">It is not in service yet and answers <a href="/docs/errors#internal_error">503</a>.</p>`,
      publicUrl,
    )
  )
}
