/** int8 and numeric come as text by default; every count and amount here fits a double exactly (below 2^53). */
export const numberType = { to: 20, from: [20, 1700], parse: Number, serialize: String }
