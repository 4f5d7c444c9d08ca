import { readFileSync } from 'node:fs'
import type { Contract } from '../../contract/document.ts'
import { projectFile } from '../../contract/projectFile.ts'

/**
 * Puts the address of this service where a text of the contract has the
 * reserved one.
 */
export function withOwnUrls({ document }: Contract, publicUrl: string) {
  const reserved = new URL(document.info.termsOfService!).origin
  return (text: string) => text.replaceAll(reserved, publicUrl)
}

/**
 * The contract and its 3.0 twin as JSON. A client that is generated from them
 * calls this service without a setting, and what the examples link to is there.
 */
export function servedContracts(
  contract: Contract,
  publicUrl: string,
  contactEmail: string | null,
): string[] {
  const ownUrls = withOwnUrls(contract, publicUrl)
  return [
    JSON.stringify(contract.document),
    readFileSync(projectFile('generated', 'openapi-3.0.json'), 'utf8'),
  ].map(text => {
    const document = JSON.parse(ownUrls(text)) as Contract['document']
    // JSON leaves out what is undefined.
    Object.assign(document.info.contact!, { email: contactEmail ?? undefined })
    Object.assign(document.servers![0]!, { url: publicUrl })
    return JSON.stringify(document)
  })
}
