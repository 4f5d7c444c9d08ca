/** The likely band and the range around a value, from their ends in ascending order. */
export const bandOf = (
  range_low: number,
  likely_low: number,
  likely_high: number,
  range_high: number,
) => ({
  range_low_cents: range_low,
  likely_low_cents: likely_low,

  likely_high_cents: likely_high,
  range_high_cents: range_high,
})
