import sys,re
ROOT="/work/wt-s1/"
files={};cur=None;act=None
for raw in open(sys.argv[1]).read().split("\n"):
    m=re.match(r'@@ (\S+)$',raw)
    if m: cur=files.setdefault(m[1],[]);act=None;continue
    m=re.match(r'@(\d+)(?:-(\d+))?(?: (.*))?$',raw)
    if m:
        act=['L',int(m[1]),int(m[2] or m[1]),[m[3]] if m[3] else []];cur.append(act);continue
    m=re.match(r'~(\d+|\*) (.*?) ⇒ ?(.*)$',raw)
    if m: cur.append(['S',m[1],m[2],m[3]]);act=None;continue
    if act is not None and raw.strip(): act[3].append(raw)
    elif raw.strip(): sys.exit("stray line: "+raw)
bad=0;outs={}
for p,acts in files.items():
    src=open(ROOT+p).read();lines=src.split("\n");new=[[l] for l in lines];touched=set()
    for a in acts:
        if a[0]=='S' and a[1]!='*':
            i=int(a[1])-1
            if len(new[i])!=1 or a[2] not in new[i][0]: print("NOTFOUND",p,a,new[i]);bad+=1;continue
            if new[i][0].count(a[2])>1: print("MULTI",p,a)
            new[i]=[new[i][0].replace(a[2],a[3],1)]
        elif a[0]=='L':
            s,e=a[1]-1,a[2]-1
            if touched&set(range(s,e+1)): print("OVERLAP",p,a);bad+=1
            touched|=set(range(s,e+1))
            old=lines[s:e+1];ind=re.match(r'\s*',old[0])[0]
            oc=[l.strip().startswith("//") for l in old if l.strip()];nc=[l.strip().startswith("//") for l in a[3]]
            if all(oc)!=all(nc) and a[3]: print("CODE?",p,a[1],old,a[3]);bad+=1
            if all(oc) and a[3]:
                k=set(re.match(r'//[/!]?',l.strip())[0] for l in old)|set(re.match(r'//[/!]?',l.strip())[0] for l in a[3])
                if len(k)>1: print("KIND",p,a[1],old,a[3]);bad+=1
            if not all(oc) and not a[3]: print("DELCODE",p,a);bad+=1
            new[s]=[ind+l for l in a[3]]
            for j in range(s+1,e+1): new[j]=[]
    text="\n".join(l for g in new for l in g)
    for a in acts:
        if a[0]=='S' and a[1]=='*':
            if a[2] not in text: print("NOTFOUND*",p,a);bad+=1
            text=text.replace(a[2],a[3])
    for i,l in enumerate(text.split("\n"),1):
        if len(l)>120 and l not in lines: print("LONG",p,i,len(l),l.strip()[:60])
    outs[p]=text
if bad: sys.exit(f"{bad} problems, nothing written")
for p,t in outs.items(): open(ROOT+p,"w").write(t)
print("ok",len(outs))
