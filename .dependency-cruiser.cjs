// The floors of the house (README): imports go down only.
const floors = {
  roof: '^src/(main|app|service|cli|config)\\.ts$|^src/commands/',
  doors: '^src/(http|handlers|mcp|pages)/',
  stories: '^src/usecases/',
  world: '^src/infra/',
  rules: '^src/(domain|contract)/',
  law: '^generated/',
}
const names = Object.keys(floors)
const upwards = names.slice(1).map((name, index) => ({
  name: `${name}-import-downwards`,
  severity: 'error',
  comment: `Nothing on the floor "${name}" may import from a floor above it.`,
  from: { path: floors[name] },
  to: {
    path: names
      .slice(0, index + 1)
      .map(above => floors[above])
      .join('|'),
  },
}))

module.exports = {
  forbidden: [
    ...upwards,
    {
      name: 'doors-apart',
      severity: 'error',
      comment: 'A door does not go through another: http may call handlers, which is its own.',
      from: { path: '^src/(http|handlers|mcp|pages)/' },
      to: { path: '^src/(http|handlers|mcp|pages)/', pathNot: ['^src/$1/', '^src/handlers/'] },
    },
    {
      name: 'types-of-the-contract-in-one-place',
      severity: 'error',
      from: { pathNot: '^src/contract/types\\.ts$' },
      to: { path: '^generated/' },
    },
    {
      name: 'no-circle',
      severity: 'error',
      comment: 'Types count: two files that need each other are one file, or lack a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'demo-makes-rows-only',
      severity: 'error',
      comment: 'The generator of demo data knows the rules and the contract, and nothing of the service.',
      from: { path: '^src/demo/' },
      to: { path: '^src/(?!demo/|domain/|contract/)' },
    },
    {
      name: 'no-rule-of-the-product-needs-the-demo',
      severity: 'error',
      from: { pathNot: '^src/(demo/|commands/|usecases/ingestion/demoLoads\\.ts$)' },
      to: { path: '^src/demo/' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'BlockList and isIP of node:net only compare addresses.',
      from: { path: '^src/domain/', pathNot: '^src/domain/alerts/addresses\\.ts$' },
      to: { path: '^(node:)?(fs|http|net|child_process)|node_modules/(postgres|express)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
}
