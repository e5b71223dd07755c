import type { Text } from '../text.ts'

/** 「節約」ページの言葉。 */
export const savings: Text['savings'] = {
  lead: '全ツールを一覧した場合と、実際にエージェントが読み込む量（一覧・検索・スキーマ）の比較です。',
  since: '集計開始',
  client: 'クライアント',
  token: 'トークン',
  endpoint: 'エンドポイント',
  project: 'プロジェクト',
  exposure: '公開方法',
  unnamed: '名前のないクライアント',
  ifAll: '全ツールを一覧',
  loaded: '読み込み',
  listed: '現在の一覧',
  lists: '一覧',
  ofSearches: '検索',
  ofSchemas: 'スキーマ',
  saved: '節約',
  costs: (tokens) => `${tokens} 増加`,
  even: 'なし',
  total: '節約の合計',
  totalCost: '増加の合計',
  totalSaved: (saved, share) => `全部を一覧する場合より ${saved} 少なく済みました（${share}% の節約）。`,
  totalCostText: (cost) =>
    `一覧・検索・スキーマは、全部を一覧するより ${cost} 多くかかっています。小さなカタログに検索は不要です。公開方法を「自動」か「全部」にしてください。`,
  totalEven: '全部を一覧する場合と同じ量を読み込みました。',
  compare: '全部を一覧した場合と実際の読み込み',
  byClient: 'クライアントごと',
  byProject: 'プロジェクトごと',
  byEndpoint: 'エンドポイントごと',
  breakEven: '損益分岐',
  breakEvenHint:
    '一覧 1 回あたりの検索回数です。一つの会話でこれを超えると、全部を一覧する方が安くなります。検索のコストはスキーマ込みの実測値で、まだ検索がなければ約 600 トークンとします。',
  searches: (count) => `検索 ${count.toLocaleString('ja')} 回`,
  perSearch: (tokens, isMeasured) => (isMeasured ? `検索 1 回は ${tokens}（実測）` : `検索 1 回を ${tokens} と仮定`),
  never: 'なし',
  neverHint: '一覧だけで、全部を一覧するより小さくなりません',
  empty: 'まだ一覧は読み込まれていません',
  emptyText: 'エージェントが接続すると表示されます。',
  estimate:
    '概算: 4 文字を 1 トークンとし、会話ごとに一度数え、監査ログと同じ期間保存します。遅延ツールは、クライアントが除外すると分かっている場合を除き、読み込まれたものとします。',
}
