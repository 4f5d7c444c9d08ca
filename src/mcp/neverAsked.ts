/**
 * For the libraries, which otherwise make a validator of their own for every server: it is there to check what clients
 * answer to questions, and this server asks none.
 */
export const NEVER_ASKED = {
  getValidator: (): never => {
    throw new Error('This server asks its clients nothing.')
  },
}
