import type { Text } from '../text.ts'

/** 「ホーム」ページの言葉。 */
export const home: Text['home'] = {
  lead: 'ゲートウェイの現在の様子です。',
  servers: '稼働中のサーバー',
  ofAll: (all) => `全 ${all} 台`,
  tools: 'ツール',
  projects: 'プロジェクト',
  tokens: 'エージェント用トークン',
  admins: (count) => `管理者用 ${count}`,
  expired: (count) => `期限切れ ${count}`,
  activity: '過去 24 時間',
  searches: '検索',
  calls: '呼び出し',
  errors: 'エラー',
  activityTable: '時間ごとの検索・呼び出し・エラー',
  hour: '時刻',
  savings: '節約したコンテキスト',
  savingsText: (saved) => `起動してから ${saved} を節約しました。`,
  costText: (cost) =>
    `全部を一覧するより ${cost} 多くかかっています。小さなカタログに検索は不要です。一覧を「自動」か「すべて」にしてください。`,
  noLists: '起動してから一覧を読み込んだエージェントはありません。',
  ifAll: (tokens) => `全ツールを一覧すると、会話ごとに ${tokens} かかります。`,
  moreSavings: 'エンドポイントごとの節約',
  problems: '対応が必要なもの',
  noProblems: '対応が必要なものはありません。',
  start: 'はじめに',
  startLead: '最初の検索まで 4 ステップ。',
  steps: {
    server: { title: 'サーバーを追加', text: 'Claude、Cursor、VS Code の設定を貼り付けます。' },
    project: { title: 'プロジェクトを確認', text: '見せ方と検索方法を選びます。' },
    token: { title: 'トークンを作成', text: 'エージェントごとに一つ。' },
    connect: { title: 'エージェントを接続', text: 'クライアント用の一行をコピーします。' },
  },
  done: '完了',
  version: 'バージョン',
  up: '起動',
}
