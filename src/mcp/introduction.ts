import labels from '../../data/labels.json' with { type: 'json' }
import type { Contract } from '../contract/document.ts'
import { KEYLESS, PLANS } from '../contract/plans.ts'
import { filled } from '../contract/text.ts'
import { formatNumber } from '../domain/format.ts'
import { type DataKind, DEMO_NOTICE } from '../infra/postgres/dataKind.ts'

export type Introduction = ReturnType<typeof introduce>

/**
 * How the server presents itself, in both revisions. The instructions say when
 * the data are demo data, which can change.
 */
export function introduce(
  contract: Contract,
  publicUrl: string,
  data: { kind: DataKind },
) {
  const text = filled(
    labels.agents.instructions
      .map(sentences => sentences.join(' '))
      .join('\n\n'),
    {
      base_url: publicUrl,
      keyless_month: KEYLESS.calls_per_month,
      keyless_minute: KEYLESS.calls_per_minute,
      free_month: formatNumber(PLANS.free.calls_per_month),
    },
  )
  return {
    serverInfo: {
      name: 'surplus-auctions',
      title: 'US government surplus auctions',
      version: contract.document.info.version,
      websiteUrl: publicUrl,
    },
    instructions: () =>
      data.kind === 'demo' ? `${DEMO_NOTICE}\n\n${text}` : text,
  }
}
