// The layers (CONTRIBUTING): imports go down only, and never in a circle.
const layers = {
  entry: '^src/(main|app|service|compiledContract|cli|config)\\.ts$|^src/commands/',
  transport: '^src/(http|mcp|pages)/',
  operations: '^src/(handlers|usecases|site)/',
  infrastructure: '^src/infra/',
  rules: '^src/(words|domain|contract)/',
  contract: '^generated/',
}
const names = Object.keys(layers)
const upwards = names.slice(1).map((name, index) => ({
  name: `${name}-imports-downwards`,
  severity: 'error',
  comment: `The layer "${name}" imports nothing from a layer above it.`,
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
      comment: 'HTTP, MCP and the pages do not import each other, but for the call of a request.',
      from: { path: '^src/(http|mcp|pages)/' },
      to: { path: '^src/(http|mcp|pages)/', pathNot: '^src/$1/|^src/http/call\\.ts$' },
    },
    {
      name: 'kit-below-all-pages',
      severity: 'error',
      comment: 'The kit imports no other folder of the pages.',
      from: { path: '^src/pages/kit/' },
      to: { path: '^src/pages/(?!kit/)' },
    },
    {
      name: 'contract-types-in-one-file',
      severity: 'error',
      from: { pathNot: '^src/contract/types\\.ts$' },
      to: { path: '^generated/' },
    },
    {
      name: 'one-file-opens-connections',
      severity: 'error',
      comment: 'What the driver returns is checked there.',
      from: { path: '^src/', pathNot: '^src/infra/postgres/driver\\.ts$' },
      to: { path: 'node_modules/postgres/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-circle',
      severity: 'error',
      comment:
        'Type imports count: two files that need each other become one file, or share a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circle-of-folders',
      severity: 'error',
      comment: 'A folder imports nothing of a folder that imports it.',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'model-has-one-door',
      severity: 'error',
      comment:
        'How an estimate is learned is seen by the model and its storage alone: all others ask the model.',
      from: { pathNot: '^src/(domain|infra)/valuation/' },
      to: { path: '^src/domain/valuation/(baseline|comparables)/' },
    },
    {
      name: 'demo-imports-rules-only',
      severity: 'error',
      comment:
        'The generator of demo data imports the rules and the contract, nothing of the service.',
      from: { path: '^src/demo/' },
      to: { path: '^src/(?!demo/|domain/|contract/)' },
    },
    {
      name: 'only-the-command-imports-the-demo',
      severity: 'error',
      from: { pathNot: '^src/(demo/|commands/demo\\.ts$)' },
      to: { path: '^src/demo/' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'BlockList and isIP of node:net only compare addresses.',
      from: { path: '^src/domain/', pathNot: '^src/domain/alerts/(addresses|webhooks)\\.ts$' },
      to: { path: '^(node:)?(fs|http|net|child_process)|node_modules/(postgres|express)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
}
