import type { GatewayModel } from '../model/gateway-model.ts'
import type { CatalogSnapshot } from '../catalog/catalog.ts'

/** Remembers what was worked out from a model and a catalog until either is another one. */
export class OncePerState<Value> {
  #model: GatewayModel | undefined
  #catalog: CatalogSnapshot | undefined
  readonly #known = new Map<string, Value>()

  get(key: string, { model, catalog }: State, workOut: () => Value): Value {
    if (model !== this.#model || catalog !== this.#catalog) this.#known.clear()
    this.#model = model
    this.#catalog = catalog
    const value = this.#known.get(key) ?? workOut()
    this.#known.set(key, value)
    return value
  }
}

interface State {
  readonly model: GatewayModel
  readonly catalog: CatalogSnapshot
}
