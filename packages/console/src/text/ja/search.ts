import type { Text } from '../text.ts'

/** 「検索」ページの言葉。 */
export const search: Text['search'] = {
  lead: 'エージェントと同じように検索し、見つかった理由と除かれたものを確認します。',
  query: 'ツールに何をさせたいですか？',
  queryHint: '1 行に 1 クエリ',
  project: 'プロジェクト',
  token: 'トークン',
  anyToken: '制限なし',
  strategies: '方式',
  run: '検索',
  answered: (ms, results) => `${results} 件、${ms} ms`,
  cost: (tokens) => `モデルは ${tokens} を受け取ります。`,
  verdicts: { found: '該当あり', unsure: '不確か', none: '該当するツールはなさそうです' },
  answeredBy: (strategy) => `${strategy} が回答`,
  nothing: '見つかりません。言葉か方式を変えてみてください。',
  leftOut: (count) => `他に ${count} 件が該当しますが使えません`,
  relevance: '関連度',
  relevanceHint: '先頭の結果が依頼に応える確率。他の結果は先頭からの距離を保ちます',
  start: 'エージェントの依頼を入力してください',
  startText: '例:',
  examples: ['バグを報告する', '直前のデプロイを戻す', '明日の気温は'],
}
