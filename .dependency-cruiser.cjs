// The layers (CONTRIBUTING.md), from the top: imports go down only.
const layers = {
  entry: '^src/(main|app|service|cli|config)\\.ts$|^src/commands/',
  transport: '^src/(http|mcp|pages)/',
  operations: '^src/(handlers|usecases)/',
  infrastructure: '^src/infra/',
  rules: '^src/(domain|contract)/',
  contract: '^generated/',
}
const names = Object.keys(layers)
const upwards = names.slice(1).map((name, index) => ({
  name: `${name}-imports-downwards`,
  severity: 'error',
  comment: `The layer "${name}" may not import from a layer above it.`,
  from: { path: layers[name] },
  to: {
    path: names
      .slice(0, index + 1)
      .map(above => layers[above])
      .join('|'),
  },
}))

module.exports = {
  forbidden: [
    ...upwards,
    {
      name: 'transports-apart',
      severity: 'error',
      comment: 'HTTP, the agent endpoint and the site do not import each other.',
      from: { path: '^src/(http|mcp|pages)/' },
      to: { path: '^src/(http|mcp|pages)/', pathNot: '^src/$1/' },
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
      from: { pathNot: '^src/(demo/|commands/loadDemo\\.ts$)' },
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
