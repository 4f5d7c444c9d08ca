/** Whether a system error carries one of these codes (`ENOENT`, `EACCES`, …). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
