// Derives generated/openapi-3.0.json, the 3.0.3 twin of openapi.yaml, or with --check fails when it is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Converter } from '@apiture/openapi-down-convert'

const yaml = createRequire(new URL('../package.json', import.meta.url))('yaml')
const source = new URL('../openapi.yaml', import.meta.url)
const target = new URL('../generated/openapi-3.0.json', import.meta.url)

const twin = new Converter(yaml.parse(readFileSync(source, 'utf8')), { verbose: false }).convert()
// 3.0 allows nothing beside a reference; allOf around one becomes a class of its own in older generators.
const properties = Object.values(twin.components.schemas).flatMap(schema =>
  Object.values(schema.properties ?? {}),
)
for (const property of properties) if (property.$ref) delete property.description

// 3.0 has no webhooks, so what only they use goes too.
delete twin.webhooks
const used = new Set(
  Object.values(twin.paths).flatMap(path => Object.values(path).flatMap(each => each.tags ?? [])),
)
twin.tags = twin.tags.filter(tag => used.has(tag.name))
for (let found = true; found; ) {
  found = false
  for (const [kind, components] of Object.entries(twin.components)) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(components)) {
      if (JSON.stringify(twin).includes(`"#/components/${kind}/${name}"`)) continue
      delete components[name]
      found = true
    }
  }
}

const text = `${JSON.stringify(twin, null, 2)}\n`
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('generated/openapi-3.0.json is stale. Run: make generate')
    process.exit(1)
  }
} else {
  writeFileSync(target, text)
}
