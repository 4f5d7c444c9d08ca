import { expect, it } from 'vitest'
import { leafHash, merkleRoot } from '../../src/domain/merkleTree.ts'

/** The test tree of Certificate Transparency, and its roots over the first leaves. */
const LEAVES = ['', '\0', '\x10', ' !', '01', '@ABC', 'PQRSTUVW', '`abcdefghijklmno']
const ROOTS = {
  0: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  1: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  2: 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  3: 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  7: 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  8: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
}

it.each(Object.entries(ROOTS))(
  'a Merkle root over %s leaves is that of RFC 6962',
  (count, root) => {
    const leaves = LEAVES.slice(0, Number(count)).map(leafHash)
    expect(merkleRoot(leaves).toString('hex')).toBe(root)
  },
)
