import { listItemsText } from '../usecases/listItems.ts'
import type { Handler } from './handler.ts'

export const listItems: Handler<'listItems'> = (deps, _input, caller) => listItemsText(deps, caller)
