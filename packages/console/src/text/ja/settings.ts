import type { Text } from '../text.ts'

/** 「設定」ページの言葉。 */
export const settings: Text['settings'] = {
  lead: 'ゲートウェイ全体の設定と、別のゲートウェイへの移行です。',
  audit: '監査',
  auditKeepDays: '保存日数',
  auditMaxEntries: '最大件数',
  from: { store: 'ここで設定', file: 'ファイルまたは既定' },
  reset: '既定に戻す',
  trust: '変更された定義',
  store: 'ストア',
  kind: '種類',
  kinds: { sqlite: 'SQLite（1 ファイル）', postgres: 'PostgreSQL' },
  place: '場所',
  works: '正常',
  broken: '問題あり',
  backup: '最新のバックアップ',
  people: 'メンバー',
  peopleLead:
    '管理トークンごとに一人がサインインし、ロールが決まります。変更、ローテーション、失効はトークンのページで行います。',
  addPerson: '管理トークンを作成',
  transfer: 'エクスポートとインポート',
  transferLead:
    'すべてのサーバー、プロジェクト、エンドポイント、トークン（ハッシュ）を書き出します。シークレットは含みません。',
  export: 'エクスポート',
  import: 'インポート',
  importLead: 'エクスポート、tooldex.json、または mcpServers。適用する前に変更を確認できます。',
  check: '確認',
  apply: '適用',
  applied: 'インポートしました',
  entry: '項目',
  action: '変更',
  actions: { create: '追加', change: '変更', unchanged: '変更なし', refused: '拒否' },
  whats: {
    server: 'サーバー',
    project: 'プロジェクト',
    endpoint: 'エンドポイント',
    token: 'トークン',
    setting: '設定',
  },
}
