"""Measures the tables of `jax_api` and the rules of `results` against real jax.

`python tests/probe_jax_api.py` prints what does not agree; `test_jax_api.py` runs a
sample of it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import warnings
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from jaxfix._analysis import jax_api, results, values  # noqa: E402  (needs the path)

# `x`, `s`: a vector and a scalar of some dtype; `i`, `n`: of int32; `b`: a bool vector;
# `y`: a matrix; `w`, `m`: a weak float and a weak int; `k`: a random key.
_EXPRESSIONS = """
jnp.zeros(()) jnp.full((),0.0) jnp.full((2,),1) jnp.full((2,),w) jnp.full((2,),s)
jnp.array(1.0) jnp.array([1.0,2.0]) jnp.array([1,2]) jnp.array([w,w]) jnp.array([1,2.0])
jnp.array([True,1]) jnp.array([[1,2],[3,4]]) jnp.array([s,1.0]) jnp.array([n,1.0])
jnp.asarray(True) jnp.array([w,1]) jnp.array((w,s)) jnp.stack([w,w]) jnp.stack([w,s])
jnp.stack([s,n]) jnp.concatenate([x,i]) jnp.stack([m,w]) jnp.arange(3) jnp.arange(3.0)
jnp.arange(0,1,0.5) jnp.linspace(0,1,5) jnp.linspace(w,w,5) jnp.linspace(n,n,5)
jnp.eye(3) jnp.identity(3) jnp.ones_like(w) jnp.zeros_like(x,dtype=int)
jnp.full_like(i,0.5) jnp.full_like(x,s) jnp.float32(w) jnp.int32(x) jnp.float32(1)
jnp.float64(1.) jnp.bool_(x) w**2 x**2 i**2 i**2.0 m**2 m**m i**i x**0.5 2**x 2**i
2.0**i b**2 b*1 b+b b+1 b*1.0 i*1.0 i/2 i//2 i%2 x//1 x%1 m/m b/b -i ~b +b ~i b&b b|True
i&1 i<<1 w+m w*True i+True x+1j i+1j w+1j x@x x==None abs(x) abs(b) abs(m) round(x)
round(x,1) divmod(x,2) x<1 w<1 x.sum() w+x.sum() x.mean(axis=0) i.mean() b.sum() x.max()
b.max() b.any() x.argmax() x.astype(int) x.astype('int32') x.astype(float)
x.astype(jnp.int8) x.astype(bool) x.T x.real x.reshape(-1) x.ravel() x.flatten()
x.cumsum() x.dot(x) x.clip(0,1) x.round() x.sort() x.argsort() x.std() x.prod() i.prod()
x.ptp() x.squeeze() x.transpose() x.copy() x.conj() x.at[0].set(1) x.at[0].get()
x.at[0].add(1) i.at[0].set(1.5) x.take(0) x.repeat(2) x.min(initial=0.)
x.sum(dtype=jnp.int32) x.sum(keepdims=True) i.sum(where=b) x.var() x.all()
x.searchsorted(1.) x.view(jnp.int32) jnp.where(b,x,0.) jnp.where(b,1,0)
jnp.where(b,1.0,0) jnp.where(s>0,w,0.) jnp.where(b,x,i) jnp.where(b,i,0.5)
jnp.select([b,b],[x,i],0) jnp.select([b],[x]) jnp.select([b],[1.0],0.0)
jnp.clip(i,0.,1.) jnp.clip(x,0,1) jnp.maximum(x,0) jnp.einsum('i,i->',x,i)
jnp.interp(s,x,x) jnp.power(x,2) jnp.power(i,2) jnp.power(2,i) jnp.power(m,2)
jnp.power(w,2) jnp.float_power(i,2) jnp.hypot(w,w) jnp.sum(w) jnp.cumsum(i) jnp.mean(w)
jnp.max(w) jnp.linalg.norm(i) jnp.linalg.norm(x,axis=0) jnp.dot(x,i) jnp.dot(w,w)
jnp.average(x,weights=x) jnp.median(i) jnp.trapezoid(x) jnp.diff(x) jnp.outer(x,i)
jnp.sort(x) jnp.flip(x) jnp.roll(x,1) jnp.pad(x,1) jnp.repeat(x,2) jnp.tile(x,2)
jnp.take(x,0) jnp.take(x,i) jnp.expand_dims(x,0) jnp.squeeze(x) jnp.ravel(x)
jnp.broadcast_to(w,(2,)) jnp.reshape(w,(1,)) jnp.diag(x) jnp.triu(jnp.outer(x,x))
jnp.meshgrid(x,x) jnp.split(x,3) jnp.vstack([x,x]) jnp.append(x,1) jnp.atleast_1d(w)
jnp.nan_to_num(w) jnp.isnan(x) jnp.nonzero(b,size=2) jnp.where(b,size=2)
jnp.argwhere(b,size=2) jnp.unique(i,size=2) jnp.digitize(x,x) jnp.searchsorted(x,1.)
jnp.bincount(i,length=3) jnp.histogram(x) jnp.polyval(x,w) jnp.prod(i)
jnp.count_nonzero(x) jnp.angle(x) jnp.modf(x) jnp.divmod(x,2) jnp.frexp(x)
jnp.allclose(x,x) jnp.isclose(x,x) jnp.logical_and(x,x) jnp.logical_not(x) jnp.argmax(x)
jnp.ndim(x) jnp.shape(x) jnp.size(x) jnp.copy(w) jnp.round(w) jnp.square(b) jnp.log2(w)
jnp.exp(m) jnp.exp2(i) jax.nn.relu(x) jax.nn.relu(b) jax.nn.softmax(x) jax.nn.softmax(i)
jax.nn.logsumexp(x) jax.nn.logsumexp(w) jax.nn.one_hot(i,4) jax.nn.one_hot(n,4)
jax.nn.gelu(w) jax.nn.elu(i) jax.nn.leaky_relu(x) jax.nn.glu(jnp.ones((4,)))
jax.nn.standardize(x) jax.random.normal(k) jax.random.normal(k,(2,))
jax.random.normal(k,(2,),jnp.bfloat16) jax.random.uniform(k,minval=0,maxval=i)
jax.random.uniform(k) jax.random.randint(k,(2,),0,3) jax.random.bernoulli(k)
jax.random.bernoulli(k,x) jax.random.categorical(k,x) jax.random.choice(k,3)
jax.random.choice(k,x) jax.random.choice(k,x,(2,)) jax.random.permutation(k,3)
jax.random.permutation(k,x) jax.random.gumbel(k,(2,)) jax.random.exponential(k)
jax.random.split(k) jax.random.split(k,3) jax.random.PRNGKey(0) jax.random.key(0)
jax.random.fold_in(k,1) jax.random.gamma(k,x) jax.random.gamma(k,1.0)
jax.random.beta(k,1.,1.) jax.random.poisson(k,x) jax.random.dirichlet(k,x)
jax.random.truncated_normal(k,-1.,1.) jax.random.truncated_normal(k,-1.,i)
jax.random.multivariate_normal(k,x,jnp.eye(3)) jax.random.laplace(k)
jax.random.rademacher(k,(2,)) jax.random.bits(k) jax.random.t(k,1.) jax.random.ball(k,3)
jax.random.orthogonal(k,3) jax.random.cauchy(k) jax.random.logistic(k)
jax.random.geometric(k,.5) jax.random.binomial(k,3,.5) jax.random.key_data(k)
lax.add(x,1.) lax.select(b,x,x) lax.top_k(x,2) lax.stop_gradient(x)
lax.convert_element_type(x,jnp.int32) lax.convert_element_type(x,int)
lax.convert_element_type(x,float) lax.clamp(0.,x,1.) lax.iota(int,3)
lax.iota(jnp.int32,3) lax.full((2,),1.) lax.full((2,),1) lax.full_like(x,1)
lax.dynamic_slice(x,(0,),(2,)) lax.dynamic_slice_in_dim(x,0,2)
lax.dynamic_update_slice(x,x,(0,)) lax.dynamic_index_in_dim(x,0)
lax.dynamic_index_in_dim(x,0,keepdims=False) lax.rsqrt(x) lax.argmax(x,0,jnp.int32)
lax.cumsum(x) lax.sort(x) lax.rem(x,x) lax.integer_pow(x,2) lax.reciprocal(x)
lax.expand_dims(x,(0,)) lax.broadcast(x,(2,)) lax.square(w) lax.reduce_max(x,(0,))
lax.reshape(x,(3,1)) lax.erf(x) x[0] x[None] x[0:2] x[...] x[i] x[0,None] x[::-1] x[b*1]
len(x) x.shape x.ndim x.size np.ones(3)*x np.float32(2)*i np.sum(x) np.float64(2)*x
np.float64(2)*i x*np.int64(2) i*np.pi np.prod(x.shape)*x np.sqrt(2)*i 3*np.sqrt(2)
np.float64(2)*w jnp.pi*i jax.ops.segment_sum(x,i,3) jax.scipy.special.logsumexp(x)
jax.scipy.stats.norm.logpdf(x) jax.scipy.stats.norm.logpdf(w) jnp.linalg.inv(jnp.eye(2))
jnp.linalg.solve(jnp.eye(3),x) jnp.linalg.eigh(jnp.eye(2)) jnp.fft.fft(x)
jnp.fft.rfft(x) jnp.fft.irfft(x) jnp.fft.fftfreq(4) w**i w**m 2.0**m 2**w m**w 2**m
m**2.0 i**w b**b b**w i/w w/i m//2 m%2 m/2 m/2.0 b//b b%b divmod(i,2) i@i b@b
jnp.divide(i,2) jnp.power(i,0.5) jnp.power(0.5,i) jnp.array(w) jnp.array(m) jnp.array(b)
jnp.asarray([1,2.]) jnp.asarray(w) jnp.array(s) jnp.array([]) jnp.array(3,float)
jnp.array(np.ones(3)) jnp.array(np.arange(3)) np.ones(3)*i np.arange(3)*i np.arange(3)*m
np.float32(1)*w jnp.hstack([w,s]) jnp.hstack([w,w]) jnp.concatenate([x,x],dtype=int)
jnp.sum(x,axis=(0,)) jnp.mean(i,dtype=jnp.float16) jnp.sum(jnp.ones(3,jnp.int8))
jnp.sum(jnp.ones(3,jnp.int16)) jnp.cumsum(jnp.ones(3,jnp.int8))
jnp.prod(jnp.ones(3,jnp.uint8)) jnp.mean(jnp.ones(3,jnp.float16))
jnp.max(jnp.ones(3,jnp.int8)) jnp.sqrt(jnp.ones(3,jnp.int8))
jnp.sqrt(jnp.ones(3,jnp.int16)) jnp.ones(3,jnp.int8)/2 jnp.ones(3,jnp.int16)/2
jnp.ones(3,jnp.int8)*2.0 jnp.ones(3,jnp.bfloat16)*jnp.ones(3,jnp.float16)
jnp.ones(3,jnp.bfloat16)*i jnp.ones(3,jnp.float16)*i
jnp.ones(3,jnp.bfloat16)*np.float64(2) x*np.float64(2) jnp.ones(3,jnp.uint32)*i
jnp.ones(3,jnp.uint8)*jnp.ones(3,jnp.int8) x+(1+2j) jnp.ones(3,jnp.bfloat16)*1j
jnp.where(b,w,i) jnp.where(b,m,i) jnp.where(b,True,1) jnp.where(b,True,False)
jnp.arange(3,dtype=jnp.float32) jnp.arange(0.,3) jnp.arange(0,3,dtype=float)
jnp.arange(x.shape[0]) jnp.arange(np.int64(3)) jnp.zeros_like(m) jnp.zeros_like(3)
jnp.zeros_like(1.0) jnp.zeros_like(True) jnp.ones_like(x,jnp.int32) jnp.full_like(w,1)
jnp.full_like(3,0.5) jnp.full_like(x,i) jnp.full_like(x,1,shape=(2,)) jnp.zeros(3,int)
jnp.zeros(3,bool) jnp.zeros((2,3),'int8') jnp.ones(w.shape) jnp.full((2,),1,dtype=float)
jnp.full((3,),x) jnp.full(3,True) jnp.eye(2,3) jnp.eye(3,dtype=int) jnp.linspace(0,1)
jnp.linspace(x,x,4) jnp.logspace(0,1,4) jnp.geomspace(1,2,4) x.astype(w.dtype)
x.astype(i.dtype) jnp.astype(x,int) jnp.float16(i) jnp.complex64(x) jnp.uint8(i)
jnp.int_(x) jnp.bool_(1) x[i,] x[:,None] x[jnp.newaxis] jnp.outer(x,x)[0]
jnp.outer(x,x)[0,1] jnp.outer(x,x)[:,0] jnp.outer(x,x)[0:2,None,:] jnp.outer(x,x)[...,0]
jnp.outer(x,x)[i] jnp.outer(x,x)[i,i] jnp.outer(x,x)[0,i] x[-1] x[n] jnp.outer(x,x)[n]
jnp.outer(x,x)[n,:] jnp.outer(x,x)[:,n] jnp.outer(x,x)[n,n] jnp.outer(x,x)[True]
jnp.outer(x,x)[0:5] jnp.outer(x,x)[1:-1] jnp.outer(x,x)[::2] abs(-x) abs(x+1j) round(i)
round(w) jnp.abs(b) jnp.negative(i) jnp.real(i) jnp.real(b) i.imag (x+1j).real
jnp.conj(i) max(1,2) jnp.heaviside(i,i) jnp.copysign(i,i) jnp.arctan2(i,i)
jnp.arctan2(m,i) jnp.logaddexp(w,x) jnp.hypot(w,i) jnp.fmod(i,m) jnp.remainder(w,i)
jnp.floor_divide(i,2.0) jnp.left_shift(i,1) jnp.bitwise_and(i,1) jnp.bitwise_or(b,True)
jnp.gcd(i,2) jnp.maximum(i,0.) jnp.maximum(b,0) jnp.add(b,b) jnp.subtract(i,1.0)
jnp.multiply(True,True) jnp.isclose(x,w) jnp.all(x,axis=0) jnp.argsort(x)
jnp.argmax(jnp.outer(x,x),axis=0) jnp.mean(jnp.outer(x,x),axis=0)
jnp.mean(jnp.outer(x,x),-1) jnp.mean(jnp.outer(x,x),axis=(0,1))
jnp.sum(jnp.outer(x,x),axis=0,keepdims=True) jnp.max(jnp.outer(x,x),axis=1)
jnp.linalg.norm(jnp.outer(x,x)) jnp.linalg.norm(jnp.outer(x,x),axis=1)
jnp.linalg.det(jnp.eye(3)) jnp.linalg.slogdet(jnp.eye(3)) jnp.trace(jnp.eye(3))
jnp.vdot(x,x) jnp.inner(x,x) jnp.matmul(jnp.eye(3),x) jnp.stack([x,x])
jnp.stack([x,x],axis=1) jnp.stack((s,s,s)) jnp.array([x,x]) jnp.array([x,[1,2,3]])
jnp.array([s,n]) jnp.array([w,m]) jnp.array([m,m]) jnp.array([b,b]) jnp.array([n,1])
jnp.array([n,True]) jnp.array([x,x],dtype=jnp.int32) jnp.concatenate((x,x))
jnp.squeeze(jnp.ones((1,3))) jnp.swapaxes(jnp.ones((1,3)),0,1) jnp.ones((1,3)).T
jnp.ones((2,3)).reshape(3,2) jnp.ones((2,3)).reshape((3,2)) jnp.ones((2,3)).reshape(-1)
jnp.ones((2,3)).ravel() jnp.ones((2,3)).transpose(1,0)
jnp.reshape(jnp.ones((2,3)),(3,-1)) jnp.broadcast_to(x,(2,3)) jnp.expand_dims(s,0)
jnp.expand_dims(x,1) jnp.expand_dims(x,(0,1)) jnp.tile(x,(2,2)) jnp.sign(w)
jnp.cumsum(w) jnp.nansum(b) jnp.median(w) jnp.quantile(x,0.5) jnp.percentile(i,50)
jnp.std(i) jnp.var(x+1j) jnp.average(i) jnp.ptp(i) jnp.interp(i,x,x) jnp.convolve(i,i)
jnp.take_along_axis(x,i,0) jnp.triu(jnp.ones((3,3),int)) jnp.cross(x,i) jnp.kron(x,i)
jnp.tensordot(x,i,1) jnp.cov(x) jnp.polyfit(x,x,1) jnp.unwrap(x)
jnp.rot90(jnp.ones((2,3))) jnp.nan_to_num(x) jnp.invert(i) jnp.logical_not(1)
jnp.sinc(i) jnp.deg2rad(i) jnp.trunc(i) jnp.floor(i) jnp.rint(i) jnp.fabs(i) jnp.cbrt(i)
jnp.square(i) jnp.reciprocal(i) jnp.positive(w) jnp.ldexp(x,i) jnp.nextafter(i,i)
jnp.signbit(w) jnp.isfinite(m) jnp.exp(b) jnp.any(i) x.any(axis=0) x.min() x.mean()
x.argmax(0) s.T i.at[0].multiply(2) i.at[0].max(2) x.at[:].apply(jnp.sin)
x.at[0].divide(2) jax.lax.select(b,i,i) jnp.select([s>0],[s],0) jax.nn.sigmoid(x)
jax.nn.relu(w) jax.nn.log_softmax(x) jax.nn.softplus(i) jax.nn.softplus(w)
jax.nn.silu(x) jax.nn.tanh(i) jax.nn.one_hot(i,4,dtype=jnp.int32)
jax.random.uniform(k,()) jax.random.normal(k,x.shape)
jax.random.normal(k,shape=(2,3),dtype=jnp.float16) jax.random.randint(k,(),0,3)
jax.random.randint(k,(2,),0,3,jnp.int8) jax.random.bernoulli(k,0.5)
jax.random.bernoulli(k,0.5,(3,)) jax.random.bernoulli(k,s)
jax.random.categorical(k,jnp.outer(x,x)) jax.random.choice(k,i)
jax.random.split(k,(2,3)) jax.random.exponential(k,()) jax.random.gamma(k,i)
jax.random.gamma(k,jnp.ones(3,jnp.bfloat16)) jax.random.normal(k,3)
"""
EXPRESSIONS = _EXPRESSIONS.split()
DTYPES = {"float32": np.float32, "int32": np.int32, "bfloat16": jnp.bfloat16}
MODULES = {"jnp": "jax.numpy", "lax": "jax.lax", "np": "numpy", "jax": "jax"}


def operands(dtype="float32"):
    """Values to trace with: `x`, `y` of a dtype, and others of fixed ones."""
    return {
        "x": jnp.ones((3,), DTYPES[dtype]),
        "y": jnp.ones((2, 3), DTYPES[dtype]),
        "i": jnp.ones((3,), np.int32),
        "b": jnp.ones((3,), bool),
        "s": jnp.ones((), DTYPES[dtype]),
        "n": jnp.ones((), np.int32),
        "w": 1.0,
        "m": 1,
        "k": jax.random.key(0),
    }


def measured(source, dtype="float32"):
    """[(dtype, weak, shape)] of each output of an expression, as jax traces it."""
    scope = {"jax": jax, "jnp": jnp, "lax": jax.lax, "np": np}
    given = operands(dtype)
    function = eval(f"lambda {', '.join(given)}: {source}", scope)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs = jax.make_jaxpr(function)(*given.values()).out_avals
    return [(out.dtype.name, bool(out.weak_type), out.shape) for out in outputs]


def computed(source, *, symbolic=False, dtype="float32"):
    """The abstract value of an expression.

    `symbolic`: the dtype and the shape of `x`, `y` and `s` are symbols.
    """
    scope = {name: values.Lib(module) for name, module in MODULES.items()}
    scope |= {name: values.Lib(name) for name in ("float", "int", "bool", "complex")}
    for name, value in operands(dtype).items():
        scope[name] = _operand(name, value, symbolic)
    return _evaluate(ast.parse(source, mode="eval").body, scope)


def _operand(name, value, symbolic):
    if name == "k":
        return values.Array(True, None, None, key=True)
    if isinstance(value, int | float):
        return values.Array(True, values.WEAK[type(value)], values.SCALAR)
    dtype, dims = values.strong(value.dtype.name), values.shape(*value.shape)
    if symbolic and name in "xys":
        dtype = values.strong("?d")
        dims = frozenset({f"?{name}"})
    return values.Array(True, dtype, dims)


def _evaluate(node, scope):
    """A small interpreter of expressions."""

    def value(part):
        return _evaluate(part, scope)

    match node:
        case ast.Name(id=name) if name in scope:
            return scope[name]
        case ast.Name(id=name):
            return values.Lib(name)
        case ast.Constant(value=constant):
            return values.Const(constant)
        case ast.Slice():
            parts = (node.lower, node.upper, node.step)
            ends = [value(p).value if p is not None else None for p in parts]
            return values.Const(slice(*ends))
        case ast.Tuple() | ast.List():
            kind = "tuple" if isinstance(node, ast.Tuple) else "list"
            return values.Seq(kind, tuple(value(part) for part in node.elts))
        case ast.BinOp():
            left, right = value(node.left), value(node.right)
            return results.binary(type(node.op), left, right, tracing=True)
        case ast.UnaryOp():
            return results.unary(type(node.op), value(node.operand), tracing=True)
        case ast.Compare(ops=[op], comparators=[other]):
            return results.compare(type(op), value(node.left), value(other))
        case ast.Subscript():
            return _pick(value(node.value), value(node.slice))
        case ast.Attribute(attr=name):
            base = value(node.value)
            if isinstance(base, values.Lib):
                return values.Lib(f"{base.name}.{name}")
            return results.attribute_of(base, name) or values.Unknown()
        case ast.Call():
            args = [value(arg) for arg in node.args]
            keywords = {k.arg: value(k.value) for k in node.keywords}
            return _call(node.func, args, keywords, scope)
    raise AssertionError(f"no rule for {ast.dump(node)}")


def _pick(base, index):
    match base, index:
        case values.Array(), _:
            return results.subscript(base, index)
        case values.Const(), values.Const():
            return values.Const(base.value[index.value])
        case values.Static(type="shape"), _:
            return values.Static("int")
    return values.Unknown()


def _call(function, args, keywords, scope):
    if isinstance(function, ast.Attribute):
        base = _evaluate(function.value, scope)
        if isinstance(base, values.Array):
            found = results.method_of(base, function.attr, args, keywords, tracing=True)
            return found if found is not None else values.Unknown()
    name = _evaluate(function, scope).name
    return results.result_of(name, args, keywords, tracing=True)


def disagreement(source, dtype="float32", *, symbolic=False):
    """Where the computed value says something else than jax; "" if nowhere."""
    said = computed(source, symbolic=symbolic, dtype=dtype)
    parts = said.items if isinstance(said, values.Seq) else (said,)
    real = measured(source, dtype)
    if parts is None:
        return ""
    if isinstance(said, values.Const) and isinstance(said.value, tuple):
        parts = tuple(map(values.Const, said.value))
    if isinstance(said, values.Unknown | values.Static):
        return ""
    if len(parts) != len(real):
        return f"{len(parts)} values, jax gives {len(real)}"
    for part, (name, weak, dims) in zip(parts, real, strict=True):
        if isinstance(part, values.Const):
            continue
        if not part.traced and not part.host:
            return "not traced"
        problem = _dtype_problem(part.dtype, name, weak, dtype)
        problem = problem or _shape_problem(part.shape, dims, operands(dtype))
        if problem:
            return problem
    return ""


def _dtype_problem(dtype, name, weak, given):
    """Does a symbolic dtype stand for another one than jax gave?"""
    if dtype is None or any(":" in one for one in dtype.strong):
        return ""
    if dtype.is_weak != weak and name != "bool" and "?d" not in dtype.strong:
        return f"weak {dtype.is_weak}, jax gives {weak} ({name})"
    scalars = {2: 1, 3: 1.0, 4: 1j}
    symbols = {"float": float, "int": int, "complex": complex, "uint": "uint"}
    symbols["?d"] = given
    terms = [
        jax.dtypes.canonicalize_dtype(symbols.get(one, one)) for one in dtype.strong
    ]
    terms += [scalars[dtype.weak]] if dtype.weak else []
    resolved = jnp.result_type(*terms).name
    return "" if resolved == name else f"{resolved} ({dtype}), jax gives {name}"


def _shape_problem(dims, real, given):
    if dims is None:
        return ""
    symbols = {f"?{name}": np.shape(given[name]) for name in "xys"}
    shapes = [symbols.get(one, one) if isinstance(one, str) else one for one in dims]
    if any(isinstance(one, str) for one in shapes):
        return ""
    resolved = np.broadcast_shapes(*shapes)
    return "" if resolved == real else f"shape {resolved}, jax gives {real}"


# --- The tables


def find(name):
    """The object with a dotted name; None if the installed packages have none."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(f"{found.__name__}.{part}")
            except (ImportError, AttributeError):
                return None
    return found


def misplaced(name, params):
    """The parameters that the function `name` does not have where the tables say."""
    signature = list(inspect.signature(find(name)).parameters.values())
    places = {
        p.name: None if p.kind is p.KEYWORD_ONLY else place
        for place, p in enumerate(signature)
    }
    return [
        param.name
        for param in params
        if places.get(param.name, "none") != param.position
    ]


VECTOR = np.linspace(0.1, 0.9, 4).astype(np.float32)
MATRIX = np.eye(4, dtype=np.float32) + np.float32(0.1)
ARGUMENTS = [
    *((VECTOR,), (MATRIX,), (VECTOR, VECTOR), (MATRIX, MATRIX), (MATRIX, VECTOR)),
    *((VECTOR, 1), (VECTOR, 0, 0), (VECTOR, (2, 2)), (VECTOR, VECTOR, VECTOR)),
    *((VECTOR, 50), (VECTOR, "float32"), (VECTOR, 0.2, 0.5), (MATRIX, 0, 1)),
]


def numpy_on_tracer(name):
    """What a NumPy function does with tracers: "works", "fails", "mixed" or None.

    It is called with each of `ARGUMENTS` that it accepts as arrays.
    """
    function = find(name)
    outcomes = set()
    for arguments in ARGUMENTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                function(*arguments)
            except Exception:  # it does not take these
                continue
            outcomes.add(_outcome(function, arguments))
    return outcomes.pop() if len(outcomes) == 1 else ("mixed" if outcomes else None)


def _outcome(function, arguments):
    def call(*tracers):
        given = iter(tracers)
        out = function(
            *(next(given) if isinstance(a, np.ndarray) else a for a in arguments)
        )
        return [leaf for leaf in jax.tree.leaves(out) if isinstance(leaf, jax.Array)]

    try:
        jax.jit(call).lower(*(a for a in arguments if isinstance(a, np.ndarray)))
    except (TypeError, IndexError, NotImplementedError, ValueError):
        return "fails"
    return "works"


POINTS = np.array(
    [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 100.0, -100.0, 1e4, -1e4], np.float32
)


def is_partial(name):
    """Is a gradient that `jnp.where` masks NaN at one of the points? None: unknown."""
    function = find(name)
    try:
        out = jax.eval_shape(function, POINTS)
        if getattr(out, "shape", None) != POINTS.shape or out.dtype != np.float32:
            return None
        masked = jax.grad(lambda x: jnp.where(False, function(x), 0.0).sum())(POINTS)
    except (TypeError, ValueError, NotImplementedError):
        return None
    return bool(np.isnan(np.asarray(masked)).any())


# These catch the error that a tracer raises, and answer False.
ANSWER_FALSE = ("array_equal", "array_equiv")


def main():
    """Print everything that does not agree."""
    for source in EXPRESSIONS:
        for dtype in DTYPES:
            for symbolic in (False, True):
                try:
                    measured(source, dtype)
                except (TypeError, ValueError):  # not for this dtype
                    continue
                if problem := disagreement(source, dtype, symbolic=symbolic):
                    print(f"{source} with {dtype}: {problem}")
    for name, api in jax_api.known().items():
        if api.static_params and (wrong := misplaced(name, api.static_params)):
            print(f"{name}: no static parameters {wrong} there")
        if api.result in ("same", "float") and name.startswith("jax."):
            partial = is_partial(name) if find(name) is not None else None
            if partial is not None and partial != api.partial:
                print(f"{name}: partial is {partial}")
    for name in dir(np):
        said = jax_api.numpy_on_tracer(f"numpy.{name}")
        real = numpy_on_tracer(f"numpy.{name}") if said != "unknown" else said
        if real not in (said, None, "mixed") and name not in ANSWER_FALSE:
            print(f"numpy.{name}: {real}, the table says {said}")


if __name__ == "__main__":
    main()
