import type { Text } from '../text.ts'

/** 「節約」ページの言葉。 */
export const savings: Text['savings'] = {
  lead: '全ツールを一覧した場合と、実際にエージェントが読み込む量の比較です。',
  since: '開始',
  endpoint: 'エンドポイント',
  project: 'プロジェクト',
  exposure: '一覧',
  ifAll: '全部を一覧',
  listed: '現在の一覧',
  lists: '読み込み回数',
  saved: '節約',
  cost: '増加',
  total: '節約の合計',
  totalCost: '増加の合計',
  perList: '一覧ごと',
  breakEven: '損益分岐',
  breakEvenHint:
    'スキーマ込みの検索は約 600 トークンです。一つの会話でこの回数を超えると、全部を一覧する方が安くなります。',
  searches: (count) => `検索 ${count.toLocaleString()} 回`,
  never: 'なし（すべて一覧）',
  empty: 'まだ一覧は読み込まれていません',
  emptyText: 'エージェントが接続すると表示されます。',
  estimate: '概算: 4 文字を 1 トークンとし、ゲートウェイの起動から数えます。',
}
