/** The clock of the ingestion tests. */
export const NOW = new Date('2026-11-21T12:00:00Z')
