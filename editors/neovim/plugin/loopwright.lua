-- Files of Loopwright in Neovim 0.7 and later: the type of `.loop` files, the language server, and highlighting by tree-sitter where the
-- parser is installed. `vim.g.loopwright_path` names the program, where it is not `loopwright` in `PATH`.

local group = vim.api.nvim_create_augroup("loopwright", {})
local clients = {}

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { group = group, pattern = "*.loop", command = "setfiletype loop" })

-- The nearest folder above a file that has a `loopwright.toml`.
local function configured(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  while true do
    if vim.fn.filereadable(folder .. "/loopwright.toml") == 1 then
      return folder
    end
    local above = vim.fn.fnamemodify(folder, ":h")
    if above == folder then
      return nil
    end
    folder = above
  end
end

-- One server for each folder. `vim.lsp.start`, which does the same, came with 0.8.
local function attach(buffer, root)
  if clients[root] == nil or vim.lsp.get_client_by_id(clients[root]) == nil then
    clients[root] = vim.lsp.start_client({
      name = "loopwright",
      cmd = { vim.g.loopwright_path or "loopwright", "lsp" },
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    })
  end
  if clients[root] then
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

local function opened(event)
  local file = vim.api.nvim_buf_get_name(event.buf)
  if file == "" or vim.bo[event.buf].buftype ~= "" then
    return
  end
  local kind = vim.bo[event.buf].filetype
  local root = configured(file)
  -- YAML is written by many; ours lies in folders with a configuration.
  if kind == "loop" then
    attach(event.buf, root or vim.fn.fnamemodify(file, ":p:h"))
  elseif root and (kind == "yaml" or vim.fn.fnamemodify(file, ":t") == "loopwright.toml") then
    attach(event.buf, root)
  end
end

local function highlighted(event)
  vim.bo[event.buf].commentstring = "# %s"
  if #vim.api.nvim_get_runtime_file("parser/loop.so", false) == 0 then
    return
  end
  if vim.treesitter.start then
    vim.treesitter.start(event.buf, "loop")
  else
    -- Before 0.8.
    vim.treesitter.highlighter.new(vim.treesitter.get_parser(event.buf, "loop"))
  end
end

vim.api.nvim_create_autocmd("FileType", { group = group, pattern = { "loop", "yaml", "toml" }, callback = opened })
vim.api.nvim_create_autocmd("FileType", { group = group, pattern = "loop", callback = highlighted })
