import { describeSearchProvider } from '../provider-contract.case.ts'
import { toyEmbedder } from '../meaning/toy-embedder.case.ts'
import { EmbeddingsProvider } from './embeddings-provider.ts'

describeSearchProvider('EmbeddingsProvider', () => new EmbeddingsProvider([toyEmbedder()]), {
  'words-decide': 'it finds neighbours, too',
})
