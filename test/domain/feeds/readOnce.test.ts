import { expect, test } from 'vitest'
import { readOnce } from '../../../src/domain/feeds/readOnce.ts'
import { splitDescription } from '../../../src/domain/feeds/splitDescription.ts'

test('A sentence is read once, and once more after thousands of others', () => {
  const read: string[] = []
  const lengthOf = readOnce((sentence: string) => read.push(sentence) && sentence.length)
  expect([lengthOf('No forklift.'), lengthOf('No forklift.')]).toEqual([12, 12])
  expect(read).toEqual(['No forklift.'])
  for (let n = 0; n < 5000; n++) lengthOf(`Sentence ${n}.`)
  expect(lengthOf('No forklift.')).toBe(12)
  expect(read.length).toBe(5002)
})

test('A heading reads the same at its second sight', () => {
  const text = 'Removal:\nGate 4, Monday.\n\nCondition:\nRuns well. Buyer must load.'
  const first = splitDescription(text)
  expect(first.describing).toBe('Condition:\nRuns well.')
  expect(splitDescription(text)).toEqual(first)
})
